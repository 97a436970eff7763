// The seed of a run: an address, so that anybody who knows its sweep can tell it without the Book.
#pragma once

#include <cstdint>

#include "server/search/rng.hpp"

namespace hone {

// Stays below 2^53, so that every language reads it exactly.
inline std::uint64_t run_seed(std::uint64_t sweep_seed, std::int64_t trial_number, int replicate) {
  constexpr std::uint64_t replicates_max = 1ULL << 20;
  const auto index = static_cast<std::uint64_t>(trial_number) * replicates_max +
                     static_cast<std::uint64_t>(replicate);
  return Rng(sweep_seed, Purpose::run_seed, index).bits() >> 11;
}

}  // namespace hone
