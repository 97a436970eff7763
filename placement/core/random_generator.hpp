// Random numbers of the placement room: SplitMix64, whose whole state is one number that a
// checkpoint keeps. Recorded placements depend on the distributions.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace hone::placement {

class RandomGenerator : public Uniform<SplitMix64> {
 public:
  using Uniform::Uniform;

  // [0, bound); the bias of 2^-32 is of no matter here.
  int below(int bound) {
    return static_cast<int>(((bits() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }
  double normal() { return box_muller(*this); }
};

}  // namespace hone::placement
