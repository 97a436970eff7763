// Baselines: placements by fixed rules, without learning.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "placement/core/problem.hpp"

namespace hone::placement {

// Refuses if it finds no placement within the devices' memory, or if its library was not built in.
using Placer = Result<Placement>(const Problem& problem, std::uint64_t seed);

struct Baseline {
  std::string_view name;
  std::string_view summary;
  Placer* place;
};
std::span<const Baseline> baseline_table();
const Baseline* find_baseline(std::string_view name);  // nullptr if there is none

}  // namespace hone::placement
