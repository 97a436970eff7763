// GET /metrics: counts of the query tables, and of this process since its start.
#include <sys/resource.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "db/queries/queries.hpp"
#include "schemas/codec/words.hpp"
#include "server/api/health/exposition.hpp"
#include "server/api/health/forecast_errors.hpp"
#include "server/api/role.hpp"
#include "server/api/routes.hpp"

namespace hone::api {
namespace {

Counted count_of(std::string_view label, std::int64_t count) {
  return {label, static_cast<double>(count)};
}

double pragma(SQLite::Database& db, const char* name) {
  return static_cast<double>(db.execAndGet(std::string("PRAGMA ") + name).getInt64());
}

// Grows between two checkpoints of the database, and without bound if a reader never ends.
double wal_bytes(const SQLite::Database& db) {
  std::error_code absent;
  const auto bytes = std::filesystem::file_size(db.getFilename() + "-wal", absent);
  return absent ? 0 : static_cast<double>(bytes);
}

void add_states(Exposition& text, const Counts& counts) {
  const auto& runs = counts.runs;
  text.labelled("hone_runs", "gauge", "state", "Runs by state.",
                std::array{count_of("queued", runs.queued), count_of("leased", runs.leased),
                           count_of("running", runs.running), count_of("paused", runs.paused),
                           count_of("completed", runs.completed), count_of("stopped", runs.stopped),
                           count_of("failed", runs.failed), count_of("canceled", runs.canceled)});
  text.labelled("hone_sweeps", "gauge", "state", "Sweeps by state.",
                std::array{count_of("running", counts.sweeps_running),
                           count_of("paused", counts.sweeps_paused),
                           count_of("stopping", counts.sweeps_stopping),
                           count_of("completed", counts.sweeps_completed),
                           count_of("canceled", counts.sweeps_canceled),
                           count_of("failed", counts.sweeps_failed)});
}

void add_totals(Exposition& text, const Counts& counts) {
  const auto total = [&](const char* name, const char* help, std::int64_t count) {
    text.single(name, "counter", help, static_cast<double>(count));
  };
  total("hone_events_total", "Events in the ledger.", counts.seq);
  total("hone_trials_total", "Trials proposed.", counts.trials);
  total("hone_reports_total", "Reports recorded.", counts.reports);
  total("hone_attempts_total", "Leases granted.", counts.attempts);
  total("hone_models_total", "Checkpoints saved.", counts.models);
  total("hone_workers_total", "Workers that joined.", counts.workers);
}

void add_counters(Exposition& text, const Counters& counters) {
  text.single("hone_commands_total", "counter", "Commands that the engine was given.",
              static_cast<double>(counters.commands.load()));
  text.histogram("hone_db_commit_seconds", "Time until a batch of events is durable.",
                 counters.commits);
  std::array<Counted, part_words.size()> parts;
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = {part_words[i], static_cast<double>(counters.busy_ns[i].load()) / 1e9};
  text.labelled("hone_busy_seconds_total", "counter", "part",
                "Wall time of the engine's and the io thread by what they did.", parts);
}

// The values that occurred.
template <class Word>
std::vector<Counted> labelled(const Tally<Word>& tally) {
  std::vector<Counted> rows;
  for (std::size_t i = 0; i < tally.size; ++i)
    if (tally.of(i) != 0) rows.push_back({word(static_cast<Word>(i)), double(tally.of(i))});
  return rows;
}

void add_outcomes(Exposition& text, const Counters& counters) {
  text.histogram("hone_ask_seconds", "Time until an asked-for trial is durable.", counters.asks);
  text.histogram("hone_report_seconds", "Time until a report and its verdict are durable.",
                 counters.reports);
  text.labelled("hone_requeue_total", "counter", "reason",
                "Runs that went back to the queue; worker_lost: a lease expired.",
                labelled(counters.returns));
  text.labelled("hone_prune_total", "counter", "reason", "Runs that a verdict stopped.",
                labelled(counters.stops));
  text.labelled("hone_failures_total", "counter", "class", "Attempts that failed.",
                labelled(counters.failures));
}

void add_work(Exposition& text, SQLite::Database& db) {
  constexpr std::int64_t sweeps_max = 100;  // a label for each: Prometheus handles few well
  const auto slots = read_slots(db, last_instant(db) - seconds(60));
  text.single("hone_workers", "gauge", "Workers heard of in the last minute.",
              static_cast<double>(slots.workers));
  text.single("hone_worker_cpus", "gauge", "Cores of these.", static_cast<double>(slots.cpus));
  text.single("hone_worker_gpus", "gauge", "GPUs of these.", static_cast<double>(slots.gpus));
  text.single("hone_leases", "gauge", "Runs that are leased.", static_cast<double>(slots.leases));
  text.best("hone_best_value", "The best so far of the newest running sweeps.",
            best_values(db, sweeps_max));
}

void add_forecasts(Exposition& text, SQLite::Database& db, ForecastErrors& errors) {
  std::vector<Counted> medians, scored;
  for (const ForecastError& one : errors.read(db)) {
    if (one.median) medians.push_back({one.kind, *one.median});
    scored.push_back(count_of(one.kind, one.scored));
  }
  text.labelled("hone_forecast_error", "gauge", "kind",
                "Median error of forecasts made halfway, as a ratio: run_value to the range of the "
                "run's reports, sweep_end to the sweep's whole time.",
                medians);
  text.labelled("hone_forecasts_scored", "gauge", "kind",
                "The newest complete runs and sweeps behind hone_forecast_error.", scored);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// The names that the client libraries of Prometheus use.
void add_process(Exposition& text) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  text.single("process_cpu_seconds_total", "counter", "User and system time of this process.",
              seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  constexpr double page_bytes = 4096;
  text.single("process_resident_memory_bytes", "gauge", "Resident memory.", resident * page_bytes);
}

void add_role(Exposition& text, const Role& role, Instant now) {
  text.single("hone_is_primary", "gauge", "1 on the server that writes the ledger.",
              role.is_follower() ? 0 : 1);
  if (!role.is_follower()) {
    text.single("hone_standbys", "gauge", "Standbys that have asked in the last seconds.",
                role.standbys());
    text.single("hone_confirmed_events", "gauge", "The newest event that a standby has on disk.",
                static_cast<double>(role.confirmed()));
    return;
  }
  text.single("hone_follower_lag_events", "gauge", "Events of the primary that are not here yet.",
              static_cast<double>(role.lag_events()));
  text.single("hone_follower_lag_seconds", "gauge", "Time since everything was here.",
              static_cast<double>(role.lag(now).us) / 1e6);
  text.single("hone_follower_missing_blobs", "gauge", "Checkpoints and files not copied yet.",
              static_cast<double>(role.missing_blobs()));
}

}  // namespace

ReadResult prometheus(SQLite::Database& db, const Request& request) {
  const Snapshot snapshot(db);
  const auto counts = read_counts(db);
  Exposition text;
  add_states(text, counts);
  add_totals(text, counts);
  text.single("hone_db_bytes", "gauge", "Size of the database file.",
              pragma(db, "page_count") * pragma(db, "page_size"));
  text.single("hone_db_wal_bytes", "gauge", "Size of the write-ahead log.", wal_bytes(db));
  add_work(text, db);
  ForecastErrors fresh;
  add_forecasts(text, db, request.forecasts != nullptr ? *request.forecasts : fresh);
  if (request.counters != nullptr) {
    add_counters(text, *request.counters);
    add_outcomes(text, *request.counters);
  }
  if (request.role != nullptr) add_role(text, *request.role, request.now);
  add_process(text);
  Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = text.take();
  return response;
}

}  // namespace hone::api
