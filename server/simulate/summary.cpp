#include "server/simulate/summary.hpp"

#include <cmath>

namespace hone::simulate {
namespace {

template <class Read>
Estimate estimate(const std::vector<Outcome>& outcomes, Read read) {
  if (outcomes.empty()) return {};
  const auto count = static_cast<double>(outcomes.size());
  double sum = 0, squares = 0;
  for (const Outcome& outcome : outcomes) sum += read(outcome);
  const double mean = sum / count;
  for (const Outcome& outcome : outcomes) squares += std::pow(read(outcome) - mean, 2);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : 0};
}

}  // namespace

Summary Tally::summary() const {
  Summary result;
  result.repetitions = repetitions();
  for (std::size_t i = 0; i < anytime_points; ++i) {
    result.named[i] = estimate(outcomes_, [i](const Outcome& o) { return o.anytime[i].named; });
    result.single[i] = estimate(outcomes_, [i](const Outcome& o) { return o.anytime[i].single; });
  }
  result.true_value = estimate(outcomes_, [](const Outcome& o) { return o.true_value; });
  result.trials =
      estimate(outcomes_, [](const Outcome& o) { return static_cast<double>(o.trials); });
  result.runs = estimate(outcomes_, [](const Outcome& o) { return static_cast<double>(o.runs); });
  result.work_per_run = estimate(outcomes_, [](const Outcome& o) { return o.work_per_run; });
  result.busy = estimate(outcomes_, [](const Outcome& o) { return o.busy; });
  result.phases = estimate(outcomes_, [](const Outcome& o) { return o.phases; });
  result.gap = estimate(outcomes_, [](const Outcome& o) { return o.gap; });
  result.expected_gap = estimate(outcomes_, [](const Outcome& o) { return o.expected_gap; });
  result.confirmed_gap = estimate(outcomes_, [](const Outcome& o) { return o.confirmed_gap; });
  result.confirmed = estimate(outcomes_, [](const Outcome& o) { return o.confirmed; });
  result.lost_best =
      estimate(outcomes_, [](const Outcome& o) { return o.lost_best ? 1.0 : 0; }).mean;
  result.diverged = estimate(outcomes_, [](const Outcome& o) { return o.diverged ? 1.0 : 0; }).mean;
  std::vector<Outcome> found;
  for (const Outcome& outcome : outcomes_)
    if (outcome.to_target >= 0) found.push_back(outcome);
  result.to_target = estimate(found, [](const Outcome& o) { return o.to_target; });
  if (!outcomes_.empty())
    result.found = static_cast<double>(found.size()) / static_cast<double>(outcomes_.size());
  return result;
}

}  // namespace hone::simulate
