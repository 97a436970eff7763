#include "server/cluster/summary.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "server/search/statistics/bootstrap.hpp"

namespace hone::cluster {
namespace {

MeanOfSeeds mean_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  MeanOfSeeds out;
  for (const double value : values) out.mean += value / count;
  if (values.size() < 2) return out;
  double square = 0;
  for (const double value : values) square += (value - out.mean) * (value - out.mean);
  out.standard_error = std::sqrt(square / (count - 1) / count);
  return out;
}

template <class Of>
MeanOfSeeds mean_over(const std::vector<Outcome>& outcomes, const Of& of) {
  std::vector<double> values;
  for (const Outcome& outcome : outcomes) values.push_back(of(outcome));
  return mean_of(values);
}

}  // namespace

Status check_amount(std::int64_t seeds, std::int64_t jobs, std::int64_t policies) {
  const std::int64_t of_seed = std::max<std::int64_t>(1, jobs * policies);
  if (seeds <= completions_max / of_seed) return Done{};
  return refuse(Code::too_large, std::to_string(seeds) + " seeds of " + counted(jobs, "job") +
                                     " under " + std::to_string(policies) + " policies" +
                                     " are more than " +
                                     std::to_string(completions_max / 1'000'000) +
                                     " million completions; lower --seeds to " +
                                     std::to_string(completions_max / of_seed));
}

Summary Tally::summary() const {
  Summary out;
  out.seeds = static_cast<int>(outcomes_.size());
  std::vector<double> all;
  for (const Outcome& outcome : outcomes_) {
    out.completions_of_seeds_s.push_back(outcome.mean_completion_s());
    all.insert(all.end(), outcome.completion_s.begin(), outcome.completion_s.end());
    out.moves += static_cast<double>(outcome.moves) / out.seeds;
  }
  std::sort(all.begin(), all.end());
  out.completion_s = mean_of(out.completions_of_seeds_s);
  out.median_s = quantile_of(all, 0.5);
  out.p95_s = quantile_of(all, 0.95);
  out.makespan_s = mean_over(outcomes_, [](const Outcome& o) { return o.makespan_s; });
  out.waiting_s = mean_over(outcomes_, [](const Outcome& o) { return o.waiting_s; });
  out.slots_busy = mean_over(outcomes_, [](const Outcome& o) { return o.busy; });
  out.gpus_busy = mean_over(outcomes_, [](const Outcome& o) { return o.gpus_busy; });
  return out;
}

MeanOfSeeds relative_completion(const Summary& policy, const Summary& other) {
  const double ratio = policy.completion_s.mean / other.completion_s.mean;
  std::vector<double> residuals;
  for (std::size_t i = 0; i < policy.completions_of_seeds_s.size(); ++i)
    residuals.push_back(
        (policy.completions_of_seeds_s[i] - ratio * other.completions_of_seeds_s[i]) /
        other.completion_s.mean);
  return {ratio, mean_of(residuals).standard_error};
}

}  // namespace hone::cluster
