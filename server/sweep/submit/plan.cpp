#include "server/sweep/submit/plan.hpp"

#include <cmath>

#include "schemas/types/spec.hpp"
#include "server/search/terminators/phase_forecast.hpp"
#include "server/search/terminators/terminator.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone {
namespace {

// Runs that a trial can have in the end: with those that racing or a second look adds.
int runs_of_trial_at_most(const SweepSpec& spec) {
  constexpr int looks_max = 3;  // of a leader (docs/hone.md)
  if (most_runs(spec) > 1) return most_runs(spec);
  const auto terminator = make_terminator(spec.terminator, sweep_shape(spec));
  return terminator && (*terminator)->takes_second_looks() ? looks_max : 1;
}

// Phases that a run trains for: as simulated, else by the rule's closed form.
double phases_per_run(const SweepSpec& spec, const std::optional<PhaseForecast>& simulated) {
  if (simulated)
    return static_cast<double>(simulated->expected) /
           static_cast<double>(spec.search.trials * first_runs(spec));
  const auto terminator = make_terminator(spec.terminator, sweep_shape(spec));
  return terminator ? (*terminator)->expected_phases() : spec.budget.phases;
}

std::optional<ConfirmPlan> plan_confirm(const SweepSpec& spec) {
  if (!spec.confirm) return std::nullopt;
  const auto& [top, seeds] = *spec.confirm;
  const std::int64_t runs = std::int64_t{top} * seeds * instances_of(spec);
  return ConfirmPlan{top, seeds, runs, runs * spec.budget.phases, runs * spec.budget.per_run};
}

}  // namespace

SweepPlan plan_sweep(const SweepSpec& spec, double measured) {
  const auto simulated =
      measured > 0 ? std::nullopt : forecast_without_pauses(spec.terminator, sweep_shape(spec));
  SweepPlan plan;
  plan.trials = spec.search.trials;
  plan.runs = plan.trials * first_runs(spec);
  plan.runs_at_most = plan.trials * runs_of_trial_at_most(spec);
  plan.phases_at_most = plan.runs_at_most * spec.budget.phases;
  plan.phases_per_run = measured > 0 ? measured : phases_per_run(spec, simulated);
  const double phases = static_cast<double>(plan.runs) * plan.phases_per_run;
  plan.phases_expected = std::llround(phases);
  if (simulated) plan.phases_range.emplace({simulated->low, simulated->high});
  plan.work_at_most = plan.runs_at_most * spec.budget.per_run;
  const double share = plan.phases_per_run / spec.budget.phases;
  plan.work_expected = std::llround(static_cast<double>(plan.runs) * share *
                                    static_cast<double>(spec.budget.per_run));
  plan.unit = spec.budget.unit;
  plan.confirm = plan_confirm(spec);
  return plan;
}

}  // namespace hone
