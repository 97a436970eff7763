// Re-runs every proposal and verdict of a sweep from its ledger: calls the sampler and the
// terminator again in the state they were in, and compares the results. Reads the events of this
// sweep and of those that it rests on; the length of the ledger does not matter.
#include <algorithm>
#include <utility>

#include "db/queries/past.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/event_codec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/state/rules.hpp"

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
  // `sources` are the sweeps whose events it will see, in order.
  Replay(SweepId sweep, std::vector<SweepId> sources, const Request& request)
      : sweep_(sweep), sources_(std::move(sources)), request_(request) {}

  void see(const Event& event, bool imported) { see(imported ? standing_alone(event) : event); }

  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  void see(const Event& event) {
    if (is_stopped(request_)) return;
    if (std::holds_alternative<SweepImported>(event.body) || !is_ours(event.body))
      return fold(event);
    if (!expected_.empty()) {
      compare(event, expected_.front());
      expected_.erase(expected_.begin());
      return fold(event);
    }
    if (is_made_for_a_lease(event.body)) {
      held_.push_back(event);
      return;
    }
    if (std::holds_alternative<TrialsExpected>(event.body)) {
      estimate_ = event;
      return;
    }
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) check_lease(event, *granted);
    if (const auto* report = std::get_if<ReportRecorded>(&event.body)) check_report(event, *report);
    fold(event);
  }

  [[nodiscard]] bool is_ours(const EventBody& body) const {
    if (const auto* e = std::get_if<TrialProposed>(&body)) return e->sweep == sweep_;
    if (const auto* e = std::get_if<RunAdded>(&body)) return of_run(e->run);
    if (const auto* e = std::get_if<LeaseGranted>(&body))
      return of_run(e->attempt.run) || !held_.empty();
    if (const auto* e = std::get_if<ReportRecorded>(&body)) return of_run(e->run);
    if (const auto* e = std::get_if<TrialsExpected>(&body)) return e->sweep == sweep_;
    return !expected_.empty();
  }
  [[nodiscard]] bool of_run(RunId id) const {
    const auto found = book_.trials.find(id.trial);
    return found != book_.trials.end() && found->second.first == sweep_;
  }
  // The sweeps that it names belong to another data folder.
  static Event standing_alone(Event event) {
    if (auto* submitted = std::get_if<SweepSubmitted>(&event.body)) {
      submitted->spec.own().search.warm_start.clear();
      submitted->spec.own().confirms = {};
    }
    return event;
  }
  static bool is_made_for_a_lease(const EventBody& body) {
    return std::holds_alternative<TrialProposed>(body) || std::holds_alternative<RunAdded>(body);
  }

  void fold(const Event& event) {
    for (const Event& held : held_) evolve(book_, held);
    held_.clear();
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) admit(*granted);
    if (const auto* imported = std::get_if<SweepImported>(&event.body)) admit(*imported);
    // It precedes the report that made it due, and the start of that run, or the end of the sweep.
    if (estimate_ && !std::holds_alternative<RunStarted>(event.body))
      evolve(book_, *std::exchange(estimate_, std::nullopt));
    evolve(book_, event);
  }

  // The book has the events of few sweeps: of the others it lacks the workers that joined, and the
  // leases, trials and sweeps that took the numbers between. These are skipped, so that the next
  // one gets the number that it got.
  void admit(const LeaseGranted& granted) {
    book_.workers[granted.worker].id = granted.worker;
    const LeaseId before{granted.lease.value - 1};
    if (book_.last_lease == before) return;
    book_.epochs.emplace(before, book_.run_of_lease.size());
    book_.last_lease = before;
  }
  void admit(const SweepImported& imported) {
    bool first = imported.part == ImportPart::whole;
    if (imported.ids && book_.last_lease.value != imported.ids->leases.after) {
      book_.last_lease = LeaseId{imported.ids->leases.after};
      book_.epochs.emplace(book_.last_lease, book_.run_of_lease.size());
    }
    for (const Event& past : imported.past)
      if (const auto* granted = std::get_if<LeaseGranted>(&past.body)) {
        if (std::exchange(first, false)) admit(*granted);
        book_.workers[granted->worker].id = granted->worker;
      }
  }
  void skip_trials() {
    if (held_.empty()) return;
    if (const auto* proposed = std::get_if<TrialProposed>(&held_.front().body))
      book_.last_trial = proposed->trial.value - 1;
  }
  void skip_sweeps() {
    const auto next = std::ranges::upper_bound(sources_, SweepId{book_.last_sweep});
    if (next != sources_.end()) book_.last_sweep = next->value - 1;
  }

  void check_lease(const Event& event, const LeaseGranted& granted) {
    ++tally_.leases;
    tally_.proposals += static_cast<std::int64_t>(held_.size());
    skip_trials();
    // What fits less than the granted step would have fitted the worker as well, and gone before.
    const Sweep& sweep = book_.sweeps.at(sweep_);
    const Run* run = find_run(book_, granted.attempt.run);
    const Capacity capacity{room_of(sweep.spec, run, granted.step), {{0, 0}}};
    const auto work = find_lease_candidate(book_, sweep, granted.worker, capacity);
    if (!work) return differ(event, event.body, "nothing to do");
    // Earlier versions continued from the newest checkpoint also where it outruns the reports.
    const bool as_before =
        run != nullptr && run->checkpoint && granted.resume == run->checkpoint->id;
    if (work->run != granted.attempt.run || (work->resume != granted.resume && !as_before))
      return differ(event, event.body, "another run: " + text(work->run));
    if (work->events.size() != held_.size())
      return differ(event, event.body, "another number of proposals");
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (as_text(work->events[i]) != as_text(held_[i].body))
        differ(held_[i], held_[i].body, as_text(work->events[i]));
  }

  void check_report(const Event& event, const ReportRecorded& e) {
    ++tally_.verdicts;
    skip_sweeps();
    const Command command = Report{e.lease,
                                   {.phase = e.phase,
                                    .step = e.step,
                                    .score = e.score,
                                    .further = e.further,
                                    .seed_applied = e.seed_applied,
                                    .resumable = e.resumable,
                                    .spent = e.spent,
                                    .phase_seconds = e.phase_seconds}};
    const auto events = decide(book_, command, event.at);
    if (!events) return differ(event, event.body, "refused: " + events.error().detail);
    const auto reported = std::ranges::find_if(*events, [](const EventBody& body) {
      return std::holds_alternative<ReportRecorded>(body);
    });
    check_estimate(event, {events->begin(), reported});
    if (reported != events->end()) expected_.assign(reported + 1, events->end());
  }

  // What a model expects is estimated before the report that makes it due. `before`: the events of
  // the report's command up to it, decided again.
  void check_estimate(const Event& report, const Events& before) {
    const auto again = std::ranges::find_if(
        before, [](const EventBody& body) { return std::holds_alternative<TrialsExpected>(body); });
    if (estimate_ && again != before.end()) return compare(*estimate_, *again);
    if (estimate_) differ(*estimate_, estimate_->body, "no estimate");
    if (again != before.end()) differ(report, report.body, as_text(*again));
  }

  void compare(const Event& event, EventBody again) {
    ++tally_.others;
    // A trial that takes the place of another: other sweeps took the numbers between.
    const auto* recorded = std::get_if<TrialProposed>(&event.body);
    if (auto* proposed = std::get_if<TrialProposed>(&again); proposed && recorded)
      proposed->trial = recorded->trial;
    if (is_yield_of(event.body, again)) return;
    if (as_text(event.body) != as_text(again)) differ(event, event.body, as_text(again));
  }

  // Whether a run gave its slots to another sweep, which the book may not have, instead of
  // continuing as its rule decides again.
  static bool is_yield_of(const EventBody& recorded, const EventBody& again) {
    const auto* given = std::get_if<VerdictGiven>(&recorded);
    const auto* rule = std::get_if<VerdictGiven>(&again);
    return given != nullptr && rule != nullptr && given->verdict.reason == VerdictReason::yields &&
           (rule->verdict.action == Action::go_on || rule->verdict.reason == VerdictReason::yields);
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
  std::vector<SweepId> sources_;
  const Request& request_;
  Book book_;
  std::vector<Event> held_;  // proposals whose lease is the next event
  Events expected_;          // the events that must follow the last report
  // What a model expects, until the event that it precedes in the same command.
  std::optional<Event> estimate_;
  Tally tally_;
};

}  // namespace

// GET /v1/sweeps/{sweep}/replay
ReadResult replay(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto sources = replay_sources(db, *id);
  Replay replay(*id, sources, request);
  const auto see = [&](const Event& event, bool imported) { replay.see(event, imported); };
  const auto seen = visit_events(db, sources, *id, limits::replay_events_max, see);
  if (!seen) return seen.error();
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
