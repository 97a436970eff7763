#include "server/forecast/packing.hpp"

#include <algorithm>
#include <map>

namespace hone::forecast {
namespace {

using Counts = std::map<int, int>;  // runs by type

constexpr double share_least = 1e-3;  // bounds the delay of one pair

// The speed of one run of `type` among all of `counts`, which include it.
double speed_among(const Counts& counts, int type, const auto& share) {
  double time = 1;  // of a step
  for (const auto& [other, count] : counts)
    if (const int others = count - (other == type ? 1 : 0); others > 0)
      time += others * (1 / std::max(share(type, other), share_least) - 1);
  return 1 / time;
}

double sum_of(const Counts& counts, const auto& share) {
  double sum = 0;
  for (const auto& [type, count] : counts) sum += count * speed_among(counts, type, share);
  return sum;
}

}  // namespace

Packing pack(const PairEstimate& pairs, int kind, std::span<const int> present, int newcomer) {
  const auto share = [&](int type, int other) { return pairs.share({kind, type, other}); };
  const auto most = [&](int type, int other) {
    const PairKey key{kind, type, other};
    return std::min(1.0, pairs.share(key) + 2 * pairs.measured(key).error());
  };
  Counts counts;
  for (const int type : present) ++counts[type];
  Packing packing{.without = sum_of(counts, share)};
  bool first = true;
  for (const auto& [type, count] : counts) {
    const PairKey key{kind, newcomer, type};
    const auto least =
        std::min(pairs.measured(key).measurements, pairs.measured(turned(key)).measurements);
    packing.measured = first ? least : std::min(packing.measured, least);
    first = false;
  }
  ++counts[newcomer];
  packing.speed = speed_among(counts, newcomer, share);
  packing.with = sum_of(counts, share);
  packing.with_most = sum_of(counts, most);
  return packing;
}

}  // namespace hone::forecast
