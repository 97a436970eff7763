// Random numbers of the placement room: SplitMix64 (Steele, Lea and Flood, 2014), the same with
// every compiler. Its whole state is one number, which a checkpoint keeps.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace hone::placement {

class Dice {
 public:
  explicit Dice(std::uint64_t state) : state_(state) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }  // [0, 1)
  // [0, bound); the bias of 2^-32 is of no matter here.
  int below(int bound) {
    return static_cast<int>(((bits() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  [[nodiscard]] std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace hone::placement
