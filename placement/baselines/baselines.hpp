// Placements that nobody had to learn.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "placement/core/problem.hpp"

namespace hone::placement {

struct Baseline {
  std::string_view name;
  std::string_view summary;
  // Refuses where it finds no placement within the devices' memory, or was not built in.
  Result<Placement> (*place)(const Problem& problem, std::uint64_t seed);
};
std::span<const Baseline> baseline_table();
const Baseline* find_baseline(std::string_view name);  // nullptr where there is none

Result<Placement> place_single(const Problem& problem, std::uint64_t seed);
Result<Placement> place_expert(const Problem& problem, std::uint64_t seed);
Result<Placement> place_random(const Problem& problem, std::uint64_t seed);
Result<Placement> place_mincut(const Problem& problem, std::uint64_t seed);
Result<Placement> place_scotch(const Problem& problem, std::uint64_t seed);
Result<Placement> place_metis(const Problem& problem, std::uint64_t seed);
Result<Placement> place_m_topo(const Problem& problem, std::uint64_t seed);
Result<Placement> place_m_etf(const Problem& problem, std::uint64_t seed);
Result<Placement> place_m_sct(const Problem& problem, std::uint64_t seed);

}  // namespace hone::placement
