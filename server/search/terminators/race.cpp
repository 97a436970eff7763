#include "server/search/terminators/race.hpp"

#include <algorithm>
#include <cmath>

#include "server/search/statistics/aggregate.hpp"

namespace hone {
namespace {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

Race::Race(const History& history, double memory) {
  const auto trials = history.trials();
  int longest = 0;
  for (std::size_t trial = history.foreign(); trial < trials.size(); ++trial) {
    const Panel panel(history.runs(), trials[trial], history.replication());
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
  double squares = 0, degrees = 0, inverse = 0;
  std::vector<double> merits;
  for (const Standing& one : standings_) {
    merits.push_back(one.merit);
    inverse += 1 / static_cast<double>(one.values.size());
    if (one.values.size() < 2 || !all_finite(one.values)) continue;
    const auto spare = static_cast<double>(one.values.size() - 1);
    squares += variance_of(one.values) * spare;
    degrees += spare;
  }
  const double middle = mean_of(merits);
  if (degrees > 0) noise_ = squares / degrees;
  const double seen = variance_of(merits);
  const double mean_noise = noise_.value_or(0) * inverse / static_cast<double>(merits.size());
  const double between = std::max(seen - mean_noise, 0.05 * seen);
  if (noise_ && seen > 0) reliability_ = between / (between + *noise_);
  for (Standing& one : standings_) {
    const double own = noise_.value_or(0) / static_cast<double>(one.values.size());
    const double weight = between + own > 0 ? between / (between + own) : 1;
    one.expected = weight == 1 ? one.merit : middle + (one.merit - middle) * weight;
  }
}

}  // namespace hone
