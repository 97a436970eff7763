#include "server/search/seeds/race.hpp"

#include <algorithm>
#include <cmath>

#include "schemas/types/aggregate.hpp"
#include "server/search/statistics/tests.hpp"

namespace hone {
namespace {

// Sums of squares and degrees of freedom over trials.
class PooledVariance {
 public:
  void add(std::span<const double> values) {
    if (values.size() < 2 || !all_finite(values)) return;
    const auto degrees = static_cast<double>(values.size() - 1);
    squares_ += variance_of(values) * degrees;
    degrees_ += degrees;
  }
  [[nodiscard]] Noise noise() const {
    return degrees_ > 0 ? Noise{squares_ / degrees_, degrees_} : Noise{};
  }

 private:
  double squares_ = 0, degrees_ = 0;
};

}  // namespace

Noise noise_at(const History& history, int phase, double memory, bool reached) {
  PooledVariance pooled;
  for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial) {
    if (history.trials()[trial].runs.size() < 2) continue;
    const SeedCurves curves(history, trial);
    if (curves.length() <= phase) continue;
    const auto values = curves.smoothed(phase, memory);
    if (all_reached(history, values) == reached) pooled.add(values);
  }
  return pooled.noise();
}

double p_worse(std::span<const double> own, std::span<const double> other, const Noise& noise) {
  constexpr double degrees_min = 4;  // fewer say too little about the noise
  if (noise.degrees < degrees_min)
    return own.size() > 1 && other.size() > 1 ? welch(own, other).p_worse : 0.5;
  const double behind = mean_of(own) - mean_of(other);
  const double share = 1 / static_cast<double>(own.size()) + 1 / static_cast<double>(other.size());
  if (noise.variance == 0) return behind == 0 ? 0.5 : behind < 0 ? 0 : 1;
  return student_cdf(behind / std::sqrt(noise.variance * share), noise.degrees);
}

Race::Race(const History& history, double memory) {
  const auto trials = history.trials();
  int longest = 0;
  for (std::size_t trial = history.foreign(); trial < trials.size(); ++trial) {
    const SeedCurves curves(history, trial);
    if (curves.length() == 0) continue;
    TrialRank rank;
    rank.trial = trial;
    rank.length = curves.length();
    rank.runs = static_cast<int>(trials[trial].runs.size());
    rank.values = curves.smoothed(curves.length() - 1, memory);
    rank.expected = rank.merit = aggregate_of(history.replication().aggregate, rank.values);
    if (!std::isfinite(rank.merit)) continue;
    longest = std::max(longest, rank.length);
    ranking_.push_back(std::move(rank));
  }
  std::erase_if(ranking_, [&](const TrialRank& one) { return 2 * one.length < longest; });
  const auto kind = [&](const TrialRank& one) { return all_reached(history, one.values); };
  const bool reached =
      std::ranges::any_of(ranking_, [&](const auto& one) { return kind(one) == true; });
  const auto others = std::ranges::stable_partition(
      ranking_, [&](const TrialRank& one) { return kind(one) == reached; });
  shrink({ranking_.begin(), others.begin()});
  std::ranges::sort(ranking_, [](const TrialRank& a, const TrialRank& b) {
    if (a.expected != b.expected) return a.expected > b.expected;
    if (a.values.size() != b.values.size()) return a.values.size() > b.values.size();
    return a.trial < b.trial;
  });
}

void Race::shrink(std::span<TrialRank> alike) {
  if (alike.empty()) return;
  double inverse = 0;
  PooledVariance pooled;
  std::vector<double> merits;
  for (const TrialRank& one : alike) {
    merits.push_back(one.merit);
    inverse += 1 / static_cast<double>(one.values.size());
    pooled.add(one.values);
  }
  noise_ = pooled.noise();
  const double middle = mean_of(merits);
  const double seen = variance_of(merits);
  const double mean_noise = noise_.variance * inverse / static_cast<double>(merits.size());
  constexpr double between_min = 0.05;  // of the observed variance
  const double between = between_ = std::max(seen - mean_noise, between_min * seen);
  if (noise_.degrees > 0 && seen > 0) reliability_ = between / (between + noise_.variance);
  for (TrialRank& one : alike) {
    const double own = noise_.variance / static_cast<double>(one.values.size());
    const double weight = between + own > 0 ? between / (between + own) : 1;
    one.expected = weight == 1 ? one.merit : middle + (one.merit - middle) * weight;
  }
}

}  // namespace hone
