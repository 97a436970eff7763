// Re-runs every proposal and verdict of a sweep from its ledger: calls the sampler and the
// terminator again in the state they were in, and compares the results.
#include "db/ledger/ledger.hpp"
#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/rules.hpp"

namespace hone::api {
namespace {

struct Tally {
  std::int64_t proposals = 0;  // parameter sets and further seeds
  std::int64_t leases = 0;     // the choice of the next run
  std::int64_t verdicts = 0;   // reports with their consequences
  std::int64_t others = 0;     // the consequences: ends, pauses, dropped checkpoints
  std::int64_t differing = 0;
  Json differences = Json::array();  // the first few
};

class Replay {
 public:
  Replay(SweepId sweep, const Request& request) : sweep_(sweep), request_(request) {}

  void see(const Event& event) {
    if (is_stopped(request_)) return;
    if (const auto* imported = std::get_if<SweepImported>(&event.body)) {
      if (imported->sweep != sweep_) return evolve(book_, event);
      for (const Event& past : imported->past) see(standing_alone(past));
      return;
    }
    if (!is_ours(event.body)) return fold(event);
    if (!expected_.empty()) {
      compare(event, expected_.front());
      expected_.erase(expected_.begin());
      return fold(event);
    }
    if (is_made_for_a_lease(event.body)) {
      held_.push_back(event);
      return;
    }
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) check_lease(event, *granted);
    if (const auto* report = std::get_if<ReportRecorded>(&event.body)) check_report(event, *report);
    fold(event);
  }

  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  [[nodiscard]] bool is_ours(const EventBody& body) const {
    if (const auto* e = std::get_if<TrialProposed>(&body)) return e->sweep == sweep_;
    if (const auto* e = std::get_if<RunAdded>(&body)) return of_run(e->run);
    if (const auto* e = std::get_if<LeaseGranted>(&body))
      return of_run(e->attempt.run) || !held_.empty();
    if (const auto* e = std::get_if<ReportRecorded>(&body)) return of_run(e->run);
    return !expected_.empty();
  }
  [[nodiscard]] bool of_run(RunId id) const {
    const auto found = book_.trials.find(id.trial);
    return found != book_.trials.end() && found->second.first == sweep_;
  }
  // The sweeps that it names belong to another data folder.
  static Event standing_alone(Event event) {
    if (auto* submitted = std::get_if<SweepSubmitted>(&event.body)) {
      submitted->spec.search.warm_start.clear();
      submitted->spec.confirms = {};
    }
    return event;
  }
  static bool is_made_for_a_lease(const EventBody& body) {
    return std::holds_alternative<TrialProposed>(body) || std::holds_alternative<RunAdded>(body);
  }

  void fold(const Event& event) {
    for (const Event& held : held_) evolve(book_, held);
    held_.clear();
    evolve(book_, event);
  }

  void check_lease(const Event& event, const LeaseGranted& granted) {
    ++tally_.leases;
    tally_.proposals += static_cast<std::int64_t>(held_.size());
    const auto work = find_lease_candidate(book_, book_.sweeps.at(sweep_), granted.worker);
    if (!work) return differ(event, event.body, "nothing to do");
    if (work->run != granted.attempt.run || work->resume != granted.resume)
      return differ(event, event.body, "another run: " + text(work->run));
    if (work->events.size() != held_.size())
      return differ(event, event.body, "another number of proposals");
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (as_text(work->events[i]) != as_text(held_[i].body))
        differ(held_[i], held_[i].body, as_text(work->events[i]));
  }

  void check_report(const Event& event, const ReportRecorded& e) {
    ++tally_.verdicts;
    const Command command =
        Report{e.lease, {e.phase, e.step, e.score, e.further, e.seed_applied, e.resumable}};
    const auto events = decide(book_, command, event.at);
    if (!events) return differ(event, event.body, "refused: " + events.error().detail);
    expected_ = *events;
    if (!expected_.empty() && std::holds_alternative<RunStarted>(expected_.front()))
      expected_.erase(expected_.begin());
    if (!expected_.empty()) expected_.erase(expected_.begin());  // the report itself
  }

  void compare(const Event& event, const EventBody& again) {
    ++tally_.others;
    if (as_text(event.body) != as_text(again)) differ(event, event.body, as_text(again));
  }

  static std::string as_text(const EventBody& body) {
    return std::string(kind(body)) + " " + to_text(encode(body));
  }

  void differ(const Event& event, const EventBody& recorded, const std::string& again) {
    constexpr std::int64_t shown = 20;
    if (++tally_.differing > shown) return;
    tally_.differences.push_back(
        {{"seq", event.seq}, {"recorded", as_text(recorded)}, {"again", again}});
  }

  SweepId sweep_;
  const Request& request_;
  Book book_;
  std::vector<Event> held_;  // proposals whose lease is the next event
  Events expected_;          // the events that must follow the last report
  Tally tally_;
};

Status check_replayable(SQLite::Database& db, const SweepRow& sweep) {
  if (last_seq(db) <= limits::replay_events_max) return Done{};
  return refuse(Code::too_large, "the ledger has more than " +
                                     std::to_string(limits::replay_events_max) +
                                     " events: export " + text(sweep.id) +
                                     ", import it into an empty server and replay it there");
}

}  // namespace

// GET /v1/sweeps/{sweep}/replay
ReadResult replay(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  if (auto fits = check_replayable(db, *sweep); !fits) return fits.error();
  Replay replay(*id, request);
  Ledger(db).replay(0, [&](const Event& event) { replay.see(event); });
  const Tally& tally = replay.tally();
  Json json;
  json["sweep"] = text(*id);
  json["same"] = tally.differing == 0;
  json["proposals"] = tally.proposals;
  json["leases"] = tally.leases;
  json["verdicts"] = tally.verdicts;
  json["consequences"] = tally.others;
  json["differing"] = tally.differing;
  json["differences"] = tally.differences;
  return json_response(json);
}

}  // namespace hone::api
