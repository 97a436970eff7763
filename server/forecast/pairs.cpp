#include "server/forecast/pairs.hpp"

#include <algorithm>
#include <cmath>

namespace hone::forecast {
namespace {

constexpr double prior_weight = 4;     // values
constexpr double spread_least = 0.05;  // of single values

}  // namespace

void PairMean::add(double value, bool further) {
  sum += value;
  squares += value * value;
  ++count;
  if (!further) ++measurements;
}

void PairMean::limit(std::int64_t most) {
  measurements = std::min(measurements, most);
  if (count <= most) return;
  const double kept = static_cast<double>(most) / static_cast<double>(count);
  sum *= kept;
  squares *= kept;
  count = most;
}

double PairMean::drawn_to(double prior) const {
  return (sum + prior_weight * prior) / (static_cast<double>(count) + prior_weight);
}

double PairMean::error() const {
  if (count == 0) return spread_least;
  const double variance =
      std::max(squares / static_cast<double>(count) - mean() * mean(), spread_least * spread_least);
  return std::sqrt(variance / static_cast<double>(measurements));
}

void PairEstimate::observe(const PairKey& key, double share, bool further) {
  pairs_[key].add(share, further);
  of_type_[{key.kind, key.type}].add(share);
  of_other_[{key.kind, key.other}].add(share);
  of_kind_[key.kind].add(share);
}

void PairEstimate::limit(const PairKey& key, std::int64_t most) {
  if (const auto found = pairs_.find(key); found != pairs_.end()) found->second.limit(most);
}

void PairEstimate::forget(const PairKey& key) {
  pairs_.erase(key);
  const auto none = [this](const auto& is) {
    return std::none_of(pairs_.begin(), pairs_.end(),
                        [&](const auto& entry) { return is(entry.first); });
  };
  if (none([&](const PairKey& one) { return one.kind == key.kind && one.type == key.type; }))
    of_type_.erase({key.kind, key.type});
  if (none([&](const PairKey& one) { return one.kind == key.kind && one.other == key.other; }))
    of_other_.erase({key.kind, key.other});
}

PairMean PairEstimate::measured(const PairKey& key) const {
  const auto found = pairs_.find(key);
  return found == pairs_.end() ? PairMean{} : found->second;
}

// How sensitive a type is, times how much its neighbour takes: a table of rank one.
double PairEstimate::share(const PairKey& key) const {
  const auto mean_in = [](const auto& means, const auto& at, double prior) {
    const auto found = means.find(at);
    return found == means.end() ? prior : found->second.drawn_to(prior);
  };
  const double all = mean_in(of_kind_, key.kind, prior_);
  const double own = mean_in(of_type_, std::pair{key.kind, key.type}, all);
  const double others = mean_in(of_other_, std::pair{key.kind, key.other}, all);
  const double expected = std::clamp(own * others / all, 0.0, 1.0);
  return mean_in(pairs_, key, expected);
}

}  // namespace hone::forecast
