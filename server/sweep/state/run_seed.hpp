// The seed of a run: an address, which can be computed from the sweep alone, without the Book.
#pragma once

#include <cstdint>

#include "base/rng.hpp"
#include "schemas/types/ids.hpp"

namespace hone {

struct SweepSpec;

// Below 2^53, so that every language reads it exactly.
inline std::uint64_t run_seed(std::uint64_t sweep_seed, std::int64_t trial_number, int replicate) {
  constexpr std::uint64_t replicates_max = 1ULL << 20;
  const auto index = static_cast<std::uint64_t>(trial_number) * replicates_max +
                     static_cast<std::uint64_t>(replicate);
  return Rng(sweep_seed, Purpose::run_seed, index).bits() >> 11;
}

// The seeds of a confirmation: addresses that no tuning uses, and the same ones for each of its
// trials, so that the trials are comparable. With several instances, a seed trains once on each.
inline std::uint64_t confirm_seed(std::uint64_t sweep_seed, SweepId confirms, int seed_number) {
  const auto index = static_cast<std::uint64_t>(confirms.value) * (1ULL << 20) +
                     static_cast<std::uint64_t>(seed_number);
  return Rng(sweep_seed, Purpose::confirm_seed, index).bits() >> 11;
}

std::uint64_t run_seed(const SweepSpec& spec, std::int64_t trial_number, int replicate);

}  // namespace hone
