#include <array>

#include "db/queries.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {
namespace {

struct Counted {
  const char* state;
  std::int64_t count;
};

class Exposition {
 public:
  void family(const std::string& name, const std::string& type, const std::string& help) {
    text_ += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void sample(const std::string& series, std::int64_t value) {
    text_ += series + " " + std::to_string(value) + "\n";
  }
  void single(const std::string& name, const std::string& type, const std::string& help,
              std::int64_t value) {
    family(name, type, help);
    sample(name, value);
  }
  template <std::size_t N>
  void by_state(const std::string& name, const std::string& help,
                const std::array<Counted, N>& counted) {
    family(name, "gauge", help);
    for (const auto& [state, count] : counted) sample(name + "{state=\"" + state + "\"}", count);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::int64_t pragma(SQLite::Database& db, const char* name) {
  return db.execAndGet(std::string("PRAGMA ") + name).getInt64();
}

}  // namespace

// GET /healthz
ReadResult health(SQLite::Database& db, const Request&) {
  Json json;
  json["status"] = "ok";
  json["version"] = HONE_VERSION;
  json["seq"] = last_seq(db);
  return json_response(json);
}

// GET /v1/version
ReadResult version(SQLite::Database&, const Request&) {
  Json json;
  json["version"] = HONE_VERSION;
  json["api"] = "v1";
  return json_response(json);
}

// GET /metrics
ReadResult prometheus(SQLite::Database& db, const Request&) {
  const Snapshot snapshot(db);
  const auto counts = read_counts(db);
  const auto& runs = counts.runs;
  Exposition text;
  text.by_state("hone_runs", "Runs by state.",
                std::array{Counted{"queued", runs.queued}, Counted{"leased", runs.leased},
                           Counted{"running", runs.running}, Counted{"paused", runs.paused},
                           Counted{"completed", runs.completed}, Counted{"stopped", runs.stopped},
                           Counted{"failed", runs.failed}, Counted{"canceled", runs.canceled}});
  text.by_state(
      "hone_sweeps", "Sweeps by state.",
      std::array{Counted{"running", counts.sweeps_running}, Counted{"paused", counts.sweeps_paused},
                 Counted{"stopping", counts.sweeps_stopping},
                 Counted{"completed", counts.sweeps_completed},
                 Counted{"canceled", counts.sweeps_canceled},
                 Counted{"failed", counts.sweeps_failed}});
  text.single("hone_events_total", "counter", "Events in the ledger.", counts.seq);
  text.single("hone_trials_total", "counter", "Trials proposed.", counts.trials);
  text.single("hone_reports_total", "counter", "Reports recorded.", counts.reports);
  text.single("hone_attempts_total", "counter", "Leases granted.", counts.attempts);
  text.single("hone_models_total", "counter", "Checkpoints saved.", counts.models);
  text.single("hone_workers_total", "counter", "Workers that joined.", counts.workers);
  text.single("hone_db_bytes", "gauge", "Size of the database file.",
              pragma(db, "page_count") * pragma(db, "page_size"));
  Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = text.take();
  return response;
}

}  // namespace hone::api
