// Verdicts on reports.
#include <algorithm>

#include "schemas/types/reach.hpp"
#include "server/sweep/forks/forks.hpp"
#include "server/sweep/state/outcome.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/verdict/expected.hpp"
#include "server/sweep/verdict/finish.hpp"

namespace hone {

History foreseen(const Book& book, const Sweep& sweep, const Events& events) {
  History history = sweep.history;
  for (const EventBody& body : events) {
    if (const auto* e = std::get_if<ReportRecorded>(&body))
      add_report(history, sweep.spec, find_run(book, e->run)->record, *e);
    if (const auto* e = std::get_if<RunPaused>(&body))
      history.set_state(find_run(book, e->run)->record, RunRecord::State::paused);
    if (const auto* e = std::get_if<RunEnded>(&body))
      history.end_run(find_run(book, e->run)->record, completes(*e), informs(*e), closes(*e));
    if (const auto* e = std::get_if<TrialsExpected>(&body)) fold_expected(sweep, *e, history);
  }
  return history;
}

namespace {

// Whether no other trial than that of `run` has a run that trains or waits for a worker.
bool is_alone(const Book& book, const Sweep& sweep, const Run& run) {
  const auto& seeds = find_trial(book, run.id.trial)->runs;
  const auto leased = std::ranges::count_if(seeds, [](const Run& one) { return bool(one.lease); });
  const auto other = [&](RunId id) { return id.trial != run.id.trial; };
  return leased == sweep.live_leases && std::ranges::none_of(sweep.queue, other) &&
         std::ranges::none_of(sweep.resting, other);
}

// Whether `run`, if it and the other seeds of its trial paused after this report, would be
// continued at once as the sweep's winner.
bool would_finish(const Book& book, const Sweep& sweep, const Run& run, Events events) {
  if (!finishes_winner(sweep) || sweep.state != SweepState::running || proposals_left(sweep) > 0 ||
      !is_alone(book, sweep, run))
    return false;
  const TrialId trial = run.id.trial;
  for (const Run& seed : find_trial(book, trial)->runs)
    if (seed.id == run.id || (!is_end(seed.state) && seed.state != RunState::paused))
      events.emplace_back(RunPaused{seed.lease, seed.id});
  const History history = foreseen(book, sweep, events);
  const NextAction next = sweep.terminator->next(history, false);
  switch (next.kind) {
    case NextAction::Kind::promote:  // a seed that is behind the others of its trial
      if (!history.replication().multi_seed() || sweep.runs.at(next.index).trial != trial)
        return false;
      break;
    case NextAction::Kind::replicate:
      return false;
    case NextAction::Kind::propose:
    case NextAction::Kind::wait:
      break;
  }
  const auto last = run_to_finish(sweep, history);
  return last && last->trial == trial;
}

// Stops a run that can no longer be the first to reach the bar. Where trials have several runs, one
// slow run decides nothing.
std::optional<Verdict> too_late(const Sweep& sweep, const ReportRecorded& report) {
  if (!sweep.spec.objective.reach || sweep.spec.terminator.rule == rule_none ||
      sweep.history.replication().multi_seed() || sweep.history.ranked().empty())
    return std::nullopt;
  const TrialOutcome& first = sweep.history.outcome(sweep.history.ranked().front());
  const double best = -first.merit;
  if (first.grade != TrialOutcome::Grade::finished || best >= some_not_reached_from)
    return std::nullopt;
  const double time = report.spent.value_or(static_cast<double>(report.step));
  if (time < best) return std::nullopt;
  return Verdict{Action::stop, VerdictReason::too_late, {{"time", time}, {"best", best}}};
}

}  // namespace

std::optional<double> time_spent(const Sweep& sweep, const Run& run, const Lease& lease,
                                 const ReportRequest& request, Instant now) {
  const auto& reach = sweep.spec.objective.reach;
  if (!measures_time(sweep.spec.objective)) return std::nullopt;
  if (request.spent) return request.spent;
  double before = 0;
  if (lease.resume && !run.reports.empty()) {
    const auto phase = static_cast<std::size_t>(std::max(lease.resume->phase, 0));
    before = run.reports[std::min(phase, run.reports.size() - 1)].spent;
  }
  const double leased = static_cast<double>((now - lease.granted_at).us) / 1e6;
  const double attempt = reach->clock == RunClock::cpu_seconds
                             ? request.cpu_seconds.value_or(request.seconds.value_or(leased))
                             : request.seconds.value_or(leased);
  const double last = run.reports.empty() ? 0 : run.reports.back().spent;
  return std::max(before + attempt, last);
}

Verdict judge(const Book& book, const Sweep& sweep, const Run& run, const Events& events) {
  const auto& report = std::get<ReportRecorded>(events.back());
  const bool last = report.phase == sweep.spec.budget.phases - 1;
  if (sweep.spec.objective.reach && reaches(*sweep.spec.objective.reach, report.score))
    return {Action::stop, VerdictReason::reached, {}};
  if (last && !step_follows(sweep, run)) return {Action::stop, VerdictReason::last_phase, {}};
  if (report.score.is_diverged()) return {Action::stop, VerdictReason::diverged, {}};
  if (last) return {Action::go_on, VerdictReason::step_follows, {}};
  const bool resumable = report.resumable.value_or(true);
  const bool replaced = !resumable && sweep.unpausing != nullptr;
  const Terminator& rule = replaced ? *sweep.unpausing : *sweep.terminator;
  Verdict verdict = rule.judge(sweep.history, run.record, report.phase, judged(sweep.spec, report));
  if (const auto late = too_late(sweep, report)) return *late;
  if (replaced) verdict.inputs.push_back({"no_checkpoint", 1});
  if (const auto reason = why_member_continues(book, sweep, run, report.phase, verdict))
    return {Action::go_on, *reason, verdict.inputs};
  if (verdict.action != Action::pause) return verdict;
  if (!resumable) return {Action::go_on, VerdictReason::no_checkpoint, verdict.inputs};
  if (would_finish(book, sweep, run, events))
    return {Action::go_on, VerdictReason::finishes, verdict.inputs};
  return verdict;
}

}  // namespace hone
