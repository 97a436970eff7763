#include "server/sweep/state/schedule.hpp"

#include <algorithm>

#include "schemas/types/event.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {

TrialSchedule schedule_of(const Book& book, TrialId id) {
  std::vector<ScheduleStage> stages;  // the latest first
  const Trial* trial = find_trial(book, id);
  for (; trial->origin; trial = find_trial(book, trial->origin->run.trial)) {
    const int phase = trial->origin->phase + 1;
    // A fork of a fork that had trained nothing yet: the later one trained the phase.
    const bool hidden = !stages.empty() && stages.back().phase <= phase;
    if (!hidden) stages.push_back({phase, trial->params});
  }
  TrialSchedule schedule{trial->params, trial->schedule};
  if (!stages.empty())  // the fork took the place of what followed
    std::erase_if(schedule.later,
                  [&](const ScheduleStage& stage) { return stage.phase >= stages.back().phase; });
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    const Params& before = schedule.later.empty() ? schedule.first : schedule.later.back().params;
    if (stage->params != before) schedule.later.push_back(*stage);
  }
  return schedule;
}

const Params& params_at(const Trial& trial, int phase) {
  const Params* params = &trial.params;
  for (const ScheduleStage& stage : trial.schedule)
    if (stage.phase <= phase) params = &stage.params;
  return *params;
}

bool change_parameters(const Book& book, const Lease& lease, Events& events) {
  auto* given = events.empty() ? nullptr : std::get_if<VerdictGiven>(&events.back());
  if (given == nullptr || given->verdict.action != Action::go_on) return false;
  const Run& run = *find_run(book, lease.attempt.run);
  const Trial& trial = *find_trial(book, run.id.trial);
  const int next = given->phase + 1;
  const auto stage = std::ranges::find(trial.schedule, next, &ScheduleStage::phase);
  // A canceled sweep gives no further lease: the run is about to end.
  const bool canceled = book.sweeps.at(lease.sweep).order != Order::none;
  if (stage == trial.schedule.end() || canceled) return false;
  if (!run.checkpoint || run.checkpoint->phase < given->phase) {
    given->verdict.reason = VerdictReason::no_checkpoint;
    given->verdict.inputs = {{"next_parameters", static_cast<double>(next)}};
    return true;
  }
  given->verdict = {
      Action::pause, VerdictReason::yields, {{"next_parameters", static_cast<double>(next)}}};
  events.emplace_back(
      RunReturned{.lease = lease.id,
                  .run = run.id,
                  .reason = EndReason::requeue_requested,
                  .detail = "it continues with the next parameters of its schedule"});
  return true;
}

}  // namespace hone
