// What the end of a run and the values of a report mean for search.
#pragma once

#include <vector>

#include "base/expect.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/failures.hpp"

namespace hone {

// Whether the run trained to its end.
inline bool completes(const RunEnded& e) { return e.state == RunState::completed; }

// Whether the rule closed the run's trial, so that the run itself did not fail.
inline bool closes(const RunEnded& e) {
  return e.reason == EndReason::evicted || e.reason == EndReason::not_promoted;
}

// Returns a value on the common scale of the trial's instances, if they have references. On that
// scale larger is better; the sign keeps the order under a goal of minimize.
inline Score normalized(const SweepSpec& spec, RunId run, Score score) {
  if (!spec.replicates.instances || spec.replicates.instances->worst.empty() || score.is_diverged())
    return score;
  const InstancesSpec& instances = *spec.replicates.instances;
  const auto i = static_cast<std::size_t>(run.replicate) % instances.values.size();
  const double share =
      (score.value() - instances.worst[i]) / (instances.best[i] - instances.worst[i]);
  return Score::of(spec.objective.goal == Goal::maximize ? share : -share);
}

// Whether an end is evidence about the parameters, rather than about a machine or a user.
inline bool informs(const RunEnded& e) {
  switch (e.reason) {
    case EndReason::budget_reached:
    case EndReason::exited_early:
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::diverged:
    case EndReason::no_report:
    case EndReason::exit_code:
    case EndReason::told_failed:
    case EndReason::infeasible:
      return true;
    case EndReason::none:
    case EndReason::signal:
    case EndReason::cannot_start:
    case EndReason::requeue_requested:
    case EndReason::worker_lost:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
      return false;
    case EndReason::retries_exhausted:
    case EndReason::disk_limit:
    case EndReason::time_limit:  // of the run; of the sweep if there is no failure
      return e.failure != Failure::none && rule_of(e.failure).informs;
  }
  unreachable();
}

// Returns the merits of the further objectives; larger is better.
inline std::vector<double> merits(const SweepSpec& spec, const std::vector<Score>& further) {
  std::vector<double> merits;
  for (std::size_t i = 0; i < further.size() && i < spec.further_objectives.size(); ++i)
    merits.push_back(further[i].merit(spec.further_objectives[i].goal));
  return merits;
}

}  // namespace hone
