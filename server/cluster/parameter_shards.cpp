#include "server/cluster/parameter_shards.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace hone::cluster {
namespace {

constexpr double small_share = 0.01;  // of the mean of a server

void add(Shard& shard, double parameters) {
  shard.parameters += parameters;
  ++shard.requests;
}

Shard& smallest(std::vector<Shard>& shards) {
  return *std::ranges::min_element(shards, {}, &Shard::parameters);
}

// The fullest server that still has room, or the emptiest one.
Shard& best_fit(std::vector<Shard>& shards, double size, double mean) {
  Shard* best = nullptr;
  for (Shard& shard : shards)
    if (shard.parameters + size <= mean && (best == nullptr || shard.parameters > best->parameters))
      best = &shard;
  return best != nullptr ? *best : smallest(shards);
}

}  // namespace

std::vector<Shard> assign_parameters(std::span<const double> sizes, std::size_t servers) {
  std::vector<Shard> shards(servers);
  std::vector<double> ordered(sizes.begin(), sizes.end());
  std::ranges::sort(ordered, std::greater<>{});
  const double mean =
      std::accumulate(ordered.begin(), ordered.end(), 0.0) / static_cast<double>(servers);
  for (double size : ordered) {
    for (; size > mean; size -= mean) add(smallest(shards), mean);
    if (size < small_share * mean)
      add(*std::ranges::min_element(shards, {}, &Shard::requests), size);
    else
      add(best_fit(shards, size, mean), size);
  }
  return shards;
}

}  // namespace hone::cluster
