#include "server/search/seeds/race.hpp"

#include <algorithm>
#include <cmath>

#include "server/search/statistics/aggregate.hpp"
#include "server/search/statistics/tests.hpp"

namespace hone {
namespace {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// Sums of squares and degrees of freedom, one trial after the other.
class Pool {
 public:
  void add(std::span<const double> values) {
    if (values.size() < 2 || !all_finite(values)) return;
    const auto spare = static_cast<double>(values.size() - 1);
    squares_ += variance_of(values) * spare;
    degrees_ += spare;
  }
  [[nodiscard]] Noise noise() const {
    return degrees_ > 0 ? Noise{squares_ / degrees_, degrees_} : Noise{};
  }

 private:
  double squares_ = 0, degrees_ = 0;
};

}  // namespace

Noise noise_at(const History& history, int phase, double memory) {
  Pool pool;
  for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial) {
    if (history.trials()[trial].runs.size() < 2) continue;
    const Panel panel(history, trial);
    if (panel.length() > phase) pool.add(panel.smoothed(phase, memory));
  }
  return pool.noise();
}

double p_worse(std::span<const double> own, std::span<const double> other, const Noise& noise) {
  constexpr double degrees_least = 4;
  if (noise.degrees < degrees_least)
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
    const Panel panel(history, trial);
    if (panel.length() == 0) continue;
    Standing standing;
    standing.trial = trial;
    standing.length = panel.length();
    standing.runs = static_cast<int>(trials[trial].runs.size());
    standing.values = panel.smoothed(panel.length() - 1, memory);
    standing.merit = aggregate_of(history.replication().aggregate, standing.values);
    if (!std::isfinite(standing.merit)) continue;
    longest = std::max(longest, standing.length);
    standings_.push_back(std::move(standing));
  }
  std::erase_if(standings_, [&](const Standing& one) { return 2 * one.length < longest; });
  shrink();
  std::stable_sort(standings_.begin(), standings_.end(), [](const Standing& a, const Standing& b) {
    if (a.expected != b.expected) return a.expected > b.expected;
    return a.values.size() > b.values.size();
  });
}

void Race::shrink() {
  if (standings_.empty()) return;
  double inverse = 0;
  Pool pool;
  std::vector<double> merits;
  for (const Standing& one : standings_) {
    merits.push_back(one.merit);
    inverse += 1 / static_cast<double>(one.values.size());
    pool.add(one.values);
  }
  noise_ = pool.noise();
  const double middle = mean_of(merits);
  const double seen = variance_of(merits);
  const double mean_noise = noise_.variance * inverse / static_cast<double>(merits.size());
  const double between = std::max(seen - mean_noise, 0.05 * seen);
  if (noise_.degrees > 0 && seen > 0) reliability_ = between / (between + noise_.variance);
  for (Standing& one : standings_) {
    const double own = noise_.variance / static_cast<double>(one.values.size());
    const double weight = between + own > 0 ? between / (between + own) : 1;
    one.expected = weight == 1 ? one.merit : middle + (one.merit - middle) * weight;
  }
}

}  // namespace hone
