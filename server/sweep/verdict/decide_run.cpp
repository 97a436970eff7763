// The rules of a run: its reports and verdicts, its checkpoints, its end.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/expect.hpp"
#include "server/sweep/forks/forks.hpp"
#include "server/sweep/state/outcome.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/state/schedule.hpp"
#include "server/sweep/verdict/expected.hpp"
#include "server/sweep/verdict/failure_limit.hpp"
#include "server/sweep/verdict/finish.hpp"

namespace hone {
namespace {

RunEnded end_after(RunId run, const Verdict& verdict) {
  switch (verdict.reason) {
    case VerdictReason::last_phase:
      return {.run = run, .state = RunState::completed, .reason = EndReason::budget_reached};
    case VerdictReason::reached:
      return {.run = run, .state = RunState::completed, .reason = EndReason::bar_reached};
    case VerdictReason::diverged:
      return {.run = run,
              .state = RunState::stopped,
              .reason = EndReason::diverged,
              .failure = Failure::diverged};
    case VerdictReason::evicted:
    case VerdictReason::outraced:
    case VerdictReason::replaced:
    case VerdictReason::too_late:
      return {.run = run, .state = RunState::stopped, .reason = EndReason::evicted};
    case VerdictReason::no_rule:
    case VerdictReason::collecting:
    case VerdictReason::good_enough:
    case VerdictReason::between_rungs:
    case VerdictReason::promoted:
    case VerdictReason::awaits_promotion:
    case VerdictReason::awaits_seeds:
    case VerdictReason::no_checkpoint:
    case VerdictReason::finishes:
    case VerdictReason::awaits_turn:
    case VerdictReason::step_follows:
    case VerdictReason::yields:
      break;
  }
  unreachable();
}

Status check_report(const Sweep& sweep, const Run& run, const ReportRequest& report) {
  const int next = static_cast<int>(run.reports.size());
  const int phases = budget_of(sweep.spec, run.step, static_cast<int>(run.step_reports)).phases;
  if (report.phase >= phases)
    return refuse(Code::invalid,
                  (phases < sweep.spec.budget.phases ? "the step" : "the sweep") +
                      std::string(" has phases 0 to ") + std::to_string(phases - 1) +
                      (run.step > 0 ? ", which the steps of its pipeline share: raise budget.phases"
                                      " by the reports of this step"
                                    : ""),
                  "/phase");
  if (report.phase > next)
    return refuse(Code::conflict, "phase " + std::to_string(next) + " has no report yet", "/phase");
  const std::int64_t last_step = run.reports.empty() ? 0 : run.reports.back().step;
  if (report.phase == next && counted_step(run, report.step) < last_step)
    return refuse(Code::invalid, "step went backwards, from " + std::to_string(last_step), "/step");
  if (report.further.size() != sweep.spec.further_objectives.size())
    return refuse(Code::invalid,
                  "the sweep has " + std::to_string(sweep.spec.further_objectives.size()) +
                      " further objectives: one value for each",
                  "/further");
  return Done{};
}

// Whether the rule still promotes or replicates a run once every trial is proposed. `history` is as
// it will be when the last active run has ended or paused.
bool wants_more(const Sweep& sweep, const History& history) {
  switch (sweep.terminator->next(history, false).kind) {
    case NextAction::Kind::promote:
    case NextAction::Kind::replicate:
      return true;
    case NextAction::Kind::propose:
    case NextAction::Kind::wait:
      return false;
  }
  unreachable();
}

// Whether the sweep trains on once its last active run has ended or paused.
bool leads_on(const Sweep& sweep, const History& history) {
  return wants_more(sweep, history) || run_to_finish(sweep, history).has_value();
}

// The reason of the last end, if every run of the sweep has failed: nothing came of it.
std::optional<EndReason> common_failure(const Book& book, const Sweep& sweep,
                                        const Events& events) {
  std::map<RunId, RunState> ends;
  std::optional<EndReason> last;
  for (const EventBody& body : events)
    if (const auto* e = std::get_if<RunEnded>(&body)) ends[e->run] = e->state, last = e->reason;
  for (const RunId id : sweep.runs) {
    const auto ending = ends.find(id);
    const RunState state = ending != ends.end() ? ending->second : find_run(book, id)->state;
    if (state != RunState::failed) return std::nullopt;
  }
  return last;
}

void end_sweep(const Book& book, const Sweep& sweep, bool failed, Events& events) {
  const auto failure = failed ? common_failure(book, sweep, events) : std::nullopt;
  const auto fail = [&](EndReason reason) {
    events.emplace_back(
        SweepEnded{sweep.id, SweepState::failed, reason,
                   sweep.rules < 1 ? std::string() : failures_text(book, sweep, events)});
  };
  if (sweep.reason == EndReason::failure_limit)
    fail(sweep.reason);
  else if (sweep.order != Order::none)
    events.emplace_back(SweepEnded{sweep.id, SweepState::canceled, sweep.reason});
  else if (sweep.history.reports(0) == 0 && failed)
    fail(EndReason::no_report);
  else if (failure)
    fail(*failure);
  else
    events.emplace_back(
        SweepEnded{sweep.id, SweepState::completed,
                   sweep.reason == EndReason::none ? EndReason::budget_reached : sweep.reason});
  if (sweep.spec.confirm) confirm_if_asked(book, sweep, foreseen(book, sweep, events), events);
}

// A stopped trial needs none of its other runs: waiting ones end with it, training ones end at
// their next report.
void end_waiting_siblings(const Book& book, const Run& run, Events& events) {
  for (const Run& other : find_trial(book, run.id.trial)->runs)
    if (other.id != run.id && !is_end(other.state) && !other.lease)
      events.emplace_back(
          RunEnded{.run = other.id, .state = RunState::stopped, .reason = EndReason::evicted});
}

// Call after the events that made a run inactive. If it was the last active run and nothing can
// follow, closes paused runs and ends the sweep.
void end_sweep_if_done(const Book& book, const Sweep& sweep, bool failed, Events& events) {
  const auto proposes = [](const EventBody& body) {
    return std::holds_alternative<TrialProposed>(body);
  };
  if (std::ranges::any_of(events, proposes)) return;
  const std::set<RunId> ended = ended_by(events);
  const auto waits = [&](RunId id) { return !ended.contains(id); };
  if (sweep.live_leases > 1 || std::ranges::any_of(sweep.queue, waits) ||
      std::ranges::any_of(sweep.resting, waits))
    return;
  // Copy the history only if the rule must be asked, not at every end of a run.
  const bool stopping = sweep.state == SweepState::stopping;
  if (!stopping && proposals_left(sweep) > 0) return;
  History history = foreseen(book, sweep, events);
  if (!stopping && leads_on(sweep, history)) return;
  expect_at_end(sweep, history, events);
  if (!stopping && run_to_finish(sweep, history)) return;
  const bool canceled = sweep.order != Order::none;
  const auto close = [&](RunId id) {
    events.emplace_back(RunEnded{.run = id,
                                 .state = canceled ? RunState::canceled : RunState::stopped,
                                 .reason = canceled ? sweep.reason : EndReason::not_promoted});
  };
  std::optional<RunId> paused_now;
  for (const EventBody& body : events)
    if (const auto* e = std::get_if<RunPaused>(&body)) paused_now = e->run;
  for (const RunId id : sweep.paused)
    if (waits(id)) close(id);
  if (paused_now) close(*paused_now);
  end_sweep(book, sweep, failed, events);
}

}  // namespace

std::set<RunId> ended_by(const Events& events) {
  std::set<RunId> ended;
  for (const EventBody& body : events)
    if (const auto* e = std::get_if<RunEnded>(&body)) ended.insert(e->run);
  return ended;
}

void end_run(const Book& book, const Sweep& sweep, const RunEnded& end, Events& events) {
  events.emplace_back(end);
  if (reaches_failure_limit(book, sweep, events))
    return steer_sweep(book, sweep, Verb::cancel, EndReason::failure_limit, events);
  end_sweep_if_done(book, sweep, end.state == RunState::failed, events);
}

Result<Events> decide_report(const Book& book, const Report& command, Instant now) {
  const ReportRequest& report = command.request;
  if (report.phase < 0) return refuse(Code::invalid, "phases count from 0", "/phase");
  const Lease* lease = find_live_lease(book, command.lease);
  if (lease == nullptr) {
    // A repeated report whose reply was lost gets the recorded verdict, even after the end of its
    // run.
    const Run* run = ended_under(book, command.lease);
    if (run != nullptr && report.phase < static_cast<int>(run->reports.size())) return Events{};
    return stale(book, command.lease);
  }
  Events events;
  if (auto done = record_report(book, *lease, report, now, events); !done) return done.error();
  if (!change_parameters(book, *lease, events)) {
    yield_slots(book, *lease, now, events);
    change_width(book, *lease, now, events);
    separate(book, *lease, now, events);
  }
  return events;
}

Status record_report(const Book& book, const Lease& lease, const ReportRequest& request,
                     Instant now, Events& events) {
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  const Run& run = *find_run(book, lease.attempt.run);
  if (auto fits = check_report(sweep, run, request); !fits) return fits;
  if (request.phase < static_cast<int>(run.reports.size())) return Done{};
  if (auto expected = expect_trials_if_due(sweep)) events.emplace_back(*std::move(expected));
  if (run.state == RunState::leased) events.emplace_back(RunStarted{lease.id});
  // A worker that was restarted may not know of the run's checkpoints.
  std::optional<bool> resumable;
  if (request.resumable == false && !checkpoint_of_step(run)) resumable = false;
  events.emplace_back(
      ReportRecorded{lease.id, run.id, request.phase, counted_step(run, request.step),
                     request.score, request.further, request.seed_applied, resumable,
                     time_spent(sweep, run, lease, request, now), request.phase_seconds});
  const Verdict verdict = judge(book, sweep, run, events);
  events.emplace_back(VerdictGiven{run.id, request.phase, verdict});
  switch (verdict.action) {
    case Action::go_on:
      break;
    case Action::stop:
      if (sweep.history.replication().multi_seed() && verdict.reason != VerdictReason::last_phase &&
          verdict.reason != VerdictReason::reached && verdict.reason != VerdictReason::diverged)
        end_waiting_siblings(book, run, events);
      if (const auto origin = find_successor(book, sweep, run, request.phase, verdict))
        propose_successor(book, sweep, *origin, events);
      end_run(book, sweep, end_after(run.id, verdict), events);
      break;
    case Action::pause:
      events.emplace_back(RunPaused{lease.id, run.id});
      end_sweep_if_done(book, sweep, false, events);
      break;
  }
  return Done{};
}

namespace {

// The checkpoint before this one: of the same attempt, else the one that the attempt continued
// from.
std::optional<ModelId> parent_of(const Run& run, const SaveModel& command) {
  return run.last_lease == command.lease && run.saved_last ? run.saved_last : run.resumed_from;
}

}  // namespace

Result<Events> decide_save_model(const Book& book, const SaveModel& command) {
  const SaveModelRequest& request = command.request;
  const Lease* lease = find_live_lease(book, command.lease);
  const Run* run =
      lease != nullptr ? find_run(book, lease->attempt.run) : ended_under(book, command.lease);
  if (run == nullptr) return stale(book, command.lease);
  if (request.phase < 0 || request.phase >= sweep_of(book, run->id).spec.budget.phases)
    return refuse(Code::invalid, "a checkpoint belongs to a phase of the sweep", "/phase");
  if (request.step < 0) return refuse(Code::invalid, "step counts from 0", "/step");
  if (book.models_by_content.contains({run->id, request.step, request.sha256})) return Events{};
  if (auto fits = check_attempt(attempt_limits::models, run->tally.models); !fits)
    return fits.error();
  return Events{ModelSaved{ModelId{book.last_model + 1}, command.lease, run->id, request.sha256,
                           request.bytes, request.step, request.phase, parent_of(*run, command)}};
}

namespace {

// Whether the exit status of the process reports success.
bool finishes(EndReason reason) {
  return reason == EndReason::budget_reached || reason == EndReason::exited_early ||
         reason == EndReason::no_report;
}

// The end of a process that this server did not order.
void end_by_itself(const Book& book, const Lease& lease, const EndRequest& request, Instant now,
                   Events& events) {
  const Run& run = *find_run(book, lease.attempt.run);
  if (!finishes(request.reason)) return fail_attempt(book, lease, request, now, events);
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  if (step_follows(sweep, run)) return finish_step(lease, run, events);
  const bool whole = std::cmp_equal(run.reports.size(), sweep.spec.budget.phases);
  if (!run.reports.empty())
    return end_run(book, sweep,
                   {.run = run.id,
                    .state = RunState::completed,
                    .reason = whole ? EndReason::budget_reached : EndReason::exited_early,
                    .detail = request.detail},
                   events);
  EndRequest silent = request;
  silent.reason = EndReason::no_report;
  fail_attempt(book, lease, silent, now, events);
}

}  // namespace

Result<Events> decide_end(const Book& book, const End& command, Instant now) {
  const Lease* lease = find_live_lease(book, command.lease);
  if (lease == nullptr) {
    if (!lease_index(book, command.lease)) return stale(book, command.lease);
    return Events{};  // its run has ended, or is leased to another worker
  }
  const Sweep& sweep = book.sweeps.at(lease->sweep);
  Events events;
  if (sweep.order == Order::none) {
    end_by_itself(book, *lease, command.request, now, events);
    return events;
  }
  end_run(book, sweep,
          {.run = lease->attempt.run,
           .state = RunState::canceled,
           .reason = reason_of(sweep.order, sweep),
           .exit_code = command.request.exit_code},
          events);
  return events;
}

}  // namespace hone
