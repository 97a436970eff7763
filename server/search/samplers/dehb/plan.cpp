#include "server/search/samplers/dehb/plan.hpp"

#include <algorithm>
#include <utility>

#include "server/search/statistics/brackets.hpp"

namespace hone {

DehbPlan::DehbPlan(int phases, int eta, std::int64_t trials) : eta_(eta) {
  const auto shapes = hyperband_shapes(phases, eta);
  lengths_ = shapes.front().rungs;
  sizes_.assign(lengths_.size(), 0);
  used_.assign(lengths_.size(), 0);
  for (std::size_t bracket = 0; bracket < shapes.size(); ++bracket) {
    bracket_trials_.push_back(shapes[bracket].trials);
    std::int64_t count = shapes[bracket].trials;
    for (std::size_t level = bracket; level < sizes_.size(); ++level) {
      sizes_[level] = std::max(sizes_[level], static_cast<std::size_t>(count));
      count = std::max<std::int64_t>(1, count / eta);
    }
  }
  for (bool first = true; std::cmp_less(step_of_trial_.size(), trials); first = false)
    for (std::size_t bracket = 0; bracket < shapes.size(); ++bracket)
      add_bracket(bracket, trials, first);
}

void DehbPlan::add_bracket(std::size_t bracket, std::int64_t trials, bool first_iteration) {
  std::int64_t planned = bracket_trials_[bracket];
  for (std::size_t level = bracket; level < lengths_.size(); ++level) {
    const std::int64_t left = trials - static_cast<std::int64_t>(step_of_trial_.size());
    const bool lowest = level == bracket;
    const bool promotes = first_iteration && !lowest;
    const std::int64_t count = promotes ? planned : std::min(planned, left);
    if (count == 0) return;
    DehbStep step{.bracket = bracket,
                  .level = level,
                  .below = lowest ? level : level - 1,
                  .parents = static_cast<std::size_t>(planned),
                  .first_iteration = first_iteration};
    step.kind = promotes                                    ? DehbStep::Kind::promote
                : first_iteration && lowest && bracket == 0 ? DehbStep::Kind::sample
                                                            : DehbStep::Kind::evolve;
    for (std::int64_t i = 0; i < count; ++i) add_step(step);
    // Of a bracket that the sweep's last trials do not fill, fewer continue.
    planned = std::max<std::int64_t>(1, (first_iteration ? count : planned) / eta_);
  }
}

void DehbPlan::add_step(DehbStep step) {
  step.slot = used_[step.level]++ % sizes_[step.level];
  if (step.kind != DehbStep::Kind::promote) {
    step.trial = static_cast<std::int64_t>(step_of_trial_.size());
    step_of_trial_.push_back(steps_.size());
  }
  if (step.first_iteration) first_iteration_ = steps_.size() + 1;
  steps_.push_back(step);
}

}  // namespace hone
