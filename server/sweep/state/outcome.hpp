// What the end of a run and the values of a report mean for search.
#pragma once

#include <vector>

#include "schemas/types/event.hpp"
#include "schemas/types/evidence.hpp"
#include "schemas/types/reach.hpp"
#include "server/search/history/history.hpp"

namespace hone {

// Whether the run trained to its end.
inline bool completes(const RunEnded& e) { return e.state == RunState::completed; }

// Whether the rule closed the run's trial, so that the run itself did not fail.
inline bool closes(const RunEnded& e) { return closes(e.reason); }

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

// Returns what search compares for a report, on the common scale of its sweep.
inline Score judged(const SweepSpec& spec, const ReportRecorded& e) {
  if (!spec.objective.reach) return normalized(spec, e.run, e.score);
  return counted(spec.objective, e.score, e.spent.value_or(static_cast<double>(e.step)));
}

// Whether an end is evidence about the parameters, rather than about a machine or a user.
inline bool informs(const RunEnded& e) { return informs(e.reason, e.failure); }

// Returns the merits of the further objectives; larger is better.
inline std::vector<double> merits(const SweepSpec& spec, const std::vector<Score>& further) {
  std::vector<double> merits;
  for (std::size_t i = 0; i < further.size() && i < spec.further_objectives.size(); ++i)
    merits.push_back(further[i].merit(spec.further_objectives[i].goal));
  return merits;
}

// Adds a report of the run with that record.
inline void add_report(History& history, const SweepSpec& spec, std::size_t record,
                       const ReportRecorded& e) {
  history.add_report(record, e.phase, judged(spec, e), merits(spec, e.further));
  const double time = e.spent.value_or(static_cast<double>(e.step));
  history.add_curve(record,
                    settled(spec.objective, e.score, time, spec.budget.phases - 1 - e.phase));
}

}  // namespace hone
