// Documents of ended sweeps, changed as JSON: the input is a sequence of choices of what to change
// in an exported one. An import is accepted or refused, never a mistake of the server's; what is
// accepted obeys the rules below, replays, is exported, and gives the same book at the next start.
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "db/file/database.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/event.hpp"
#include "server/api/router.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/engine.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/db/storm.hpp"

namespace hone::fuzz {
namespace {

constexpr unsigned int ok = 200;
constexpr Instant now{1'900'000'000'000'000};

// An engine in memory, spoken to through the table of routes.
class Server {
 public:
  Result<Reply> send(Command command, Instant at) {
    Result<Reply> reply = refuse(Code::internal, "no reply");
    std::vector<Envelope> batch;
    batch.push_back(
        {std::move(command), [&reply](Result<Reply> given) { reply = std::move(given); }});
    engine_.step(std::move(batch), at);
    return reply;
  }
  Result<Reply> import(const std::string& body) {
    api::Request request = request_to("/v1/imports", api::Method::post);
    request.body = body;
    const auto match = api::find_route(request.method, request.path);
    const auto& write = std::get<api::Write>(match.route->handler);
    auto parsed = api::parse_write(write, blobs_, request);
    return parsed ? send(std::move(parsed->command), now) : Result<Reply>(parsed.error());
  }
  api::Response read(const std::string& path) {
    api::Request request = request_to(path, api::Method::get);
    auto match = api::find_route(request.method, request.path);
    request.ids = std::move(match.ids);
    return api::answer_read(*match.route, *db_, request);
  }
  [[nodiscard]] const Book& book() const { return engine_.book(); }
  SQLite::Database& db() { return *db_; }

 private:
  static api::Request request_to(const std::string& path, api::Method method) {
    auto request = api::parse_target(method, path);
    expect(request.ok(), "a path of ours is a target");
    request->now = now;
    return *std::move(request);
  }

  std::unique_ptr<SQLite::Database> db_ = *open_for_writing(":memory:");
  Engine engine_{*db_, Instant{1'700'000'000'000'000}, {.epoch = Epoch{std::int64_t{1} << 40U}}};
  api::BlobStore blobs_{std::filesystem::temp_directory_path() / "hone-fuzz-past"};
};

// The exports of the sweeps of random histories, small and large ones.
std::vector<Json> exported() {
  std::vector<Json> documents;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Server server;
    Storm storm(seed, [&](const Command& c, Instant at) { return server.send(c, at); });
    storm.blow(300);
    for (std::int64_t id = 1; id <= server.book().last_sweep; ++id)
      static_cast<void>(server.send(Steer{SweepId{id}, {Verb::kill}}, storm.now()));
    static_cast<void>(server.send(Tick{}, storm.now() + seconds(60)));
    for (const auto& [id, sweep] : server.book().sweeps) {
      if (!is_end(sweep.state)) continue;
      const auto response = server.read("/v1/sweeps/" + text(id) + "/export");
      expect(response.status == ok, "an ended sweep is exported");
      documents.push_back(*parse_json(response.body));
    }
  }
  expect(!documents.empty(), "the histories have ended sweeps");
  return documents;
}

// Every value of the document, its containers included.
void collect(Json& json, std::vector<Json*>& found) {
  found.push_back(&json);
  if (json.is_structured())
    for (Json& inner : json) collect(inner, found);
}

class Mutator {
 public:
  explicit Mutator(Choices choices) : choices_(choices) {}

  Json mutate(const std::vector<Json>& documents) {
    Json document = documents[choices_.below(documents.size())];
    for (std::size_t changes = choices_.below(5); changes > 0; --changes) {
      changed_ = true;
      const auto events = document.is_object() ? document.find("events") : document.end();
      if (events != document.end() && events->is_array() && !events->empty() &&
          choices_.below(2) == 0)
        change_events(*events);
      else
        change_value(document);
    }
    return document;
  }
  [[nodiscard]] bool changed() const { return changed_; }

 private:
  std::size_t index(std::size_t size) {
    return (choices_.byte() * std::size_t{256} + choices_.byte()) % size;
  }

  void change_events(Json& events) {
    const std::size_t at = index(events.size()), other = index(events.size());
    switch (choices_.below(4)) {
      case 0:
        events.erase(at);
        return;
      case 1:
        events.insert(events.begin() + static_cast<std::ptrdiff_t>(other), Json(events[at]));
        return;
      case 2:
        std::swap(events[at], events[other]);
        return;
      default:
        events[at] = events[other];
    }
  }

  void change_value(Json& document) {
    std::vector<Json*> values;
    collect(document, values);
    Json& value = *values[index(values.size())];
    const Json other = *values[index(values.size())];
    if (value.is_object() && !value.empty() && choices_.below(2) == 0)
      value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(index(value.size()))));
    else if (value.is_number() && choices_.below(4) != 0)
      value = number(value);
    else if (value.is_string() && choices_.below(4) != 0)
      value = word(value.get<std::string>());
    else
      value = other;
  }

  Json number(const Json& was) {
    static const Json numbers[] = {0,      1,        -1,          2,
                                   0.5,    -0.0,     1e308,       5e-324,
                                   65'536, 1u << 31, 1ULL << 53U, 9'223'372'036'854'775'807};
    const auto chosen = choices_.below(std::size(numbers) + 2);
    if (chosen < std::size(numbers)) return numbers[chosen];
    if (!was.is_number_integer()) return was.get<double>() * 2;
    // Wraps around where the number is the largest.
    const auto bits = static_cast<std::uint64_t>(was.get<std::int64_t>());
    return static_cast<std::int64_t>(chosen == std::size(numbers) ? bits + 1 : bits - 1);
  }

  Json word(std::string was) {
    static const char* const words[] = {
        "",          "../../x",   "/etc/passwd", "\u202egnp", "\x1b[2J",
        "tr_1",      "rn_1.0",    "rn_2.0",      "le_1",      "le_9223372036854775807",
        "md_1",      "wk_1",      "sw_1",        "none",      "diverged",
        "completed", "run_ended", "stop",        "pause",     "continue"};
    const auto chosen = choices_.below(std::size(words) + 3);
    if (chosen < std::size(words)) return words[chosen];
    if (was.empty()) return "x";
    const std::size_t at = index(was.size());
    if (chosen == std::size(words))
      was.erase(at, 1);
    else if (chosen == std::size(words) + 1)
      was[at] = static_cast<char>('0' + choices_.below(75));
    else
      was += was;
    return was;
  }

  Choices choices_;
  bool changed_ = false;
};

// The rules of a past, from the document alone: what a sweep's events can be.
class Rules {
 public:
  void check(const SweepPast& past) {
    expect(!past.events.empty() && std::holds_alternative<SweepSubmitted>(past.events[0].body),
           "a past begins with its submission");
    for (const Event& event : past.events) {
      expect(event.at >= last_, "time does not go back");
      last_ = event.at;
      expect(!pending_ || std::holds_alternative<VerdictGiven>(event.body),
             "a report is judged by the next event");
      std::visit([this](const auto& e) { see(e); }, event.body);
    }
    expect(ended_ && live_.empty(), "the sweep has ended, and its runs with it");
  }

 private:
  void see(const TrialProposed& e) {
    expect(e.trial.value == ++trials_, "trials count from 1");
    if (!e.origin) return;
    expect(e.origin->phase >= 0 && e.origin->phase < phases_[e.origin->run],
           "a fork continues a report of its origin");
    phases_[{e.trial, 0}] = e.origin->phase + 1;  // those before it are its origin's
  }
  void see(const LeaseGranted& e) {
    expect(e.attempt.run.trial.value <= trials_, "a leased run has a trial");
    expect(e.attempt.number == ++attempts_[e.attempt.run], "attempts count from 1");
    live_[e.attempt.run] = e.lease;
  }
  void see(const ReportRecorded& e) {
    expect(live_.contains(e.run) && live_.at(e.run) == e.lease, "a lease reports for its own run");
    expect(e.phase == phases_[e.run]++, "phases are reported in order");
    pending_ = e.run;
  }
  void see(const VerdictGiven& e) {
    expect(pending_ && *pending_ == e.run, "the verdict is on the report before it");
    pending_.reset();
  }
  void see(const RunPaused& e) { live_.erase(e.run); }
  void see(const RunReturned& e) { live_.erase(e.run); }
  void see(const RunEnded& e) { live_.erase(e.run); }
  void see(const SweepEnded&) { ended_ = true; }
  void see(const ModelSaved& e) { expect(is_digest(e.sha256), "a checkpoint has a digest"); }
  void see(const ArtifactSaved& e) {
    expect(is_digest(e.sha256), "a file has a digest");
    const std::filesystem::path name(e.name);
    expect(!e.name.empty() && name.is_relative(), "the name of a file is relative");
    for (const auto& part : name) expect(part != "..", "a file stays in its folder");
  }
  template <class Other>
  void see(const Other&) {}

  static bool is_digest(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  }

  Instant last_{};
  std::int64_t trials_ = 0;
  std::map<RunId, int> attempts_, phases_;
  std::map<RunId, LeaseId> live_;
  std::optional<RunId> pending_;
  bool ended_ = false;
};

void expect_kept(Server& server, SweepId sweep) {
  const std::string path = "/v1/sweeps/" + text(sweep);
  for (const char* what : {"", "/replay", "/trials", "/best", "/curves"})
    expect(server.read(path + what).status == ok, "an accepted import is read and replays");
  const auto again = server.read(path + "/export");
  expect(again.status == ok, "an accepted import is exported");
  Server other;
  Json request{{"request_id", "again"}, {"export", *parse_json(again.body)}};
  expect(other.import(to_text(request)).ok(), "what was exported can be imported");
  Book replayed;
  Ledger(server.db()).replay(0, [&](const Event& event) { evolve(replayed, event); });
  expect(archive_book(replayed) == archive_book(server.book()), "the next start has the same book");
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Json> documents = exported();
  static std::unique_ptr<Server> server;  // until it accepts an import
  if (!server) server = std::make_unique<Server>();
  Mutator mutator(Choices(data, size));
  const Json document = mutator.mutate(documents);
  const std::string body = to_text(Json{{"request_id", "mutated"}, {"export", document}});
  const auto reply = server->import(body);
  if (!reply) {
    expect(reply.error().code != Code::internal, "an import is refused, no bug");
    expect(!reply.error().detail.empty(), "a refusal says why");
    expect(mutator.changed(), "an export that was not changed is accepted");
    return;
  }
  const auto request = decode_request<ImportRequest>(*parse_json(body));
  expect(request.ok(), "what was accepted is read again");
  Rules().check(request->past);
  expect_kept(*server, std::get<Submitted>(*reply).sweep);
  server.reset();
}

}  // namespace hone::fuzz
