#include "base/rng.hpp"

#include <bit>
#include <cmath>

#include "base/expect.hpp"

namespace hone {
namespace {

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15ULL;

// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a bijection that spreads every input
// bit.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed, Purpose purpose, std::uint64_t index) {
  std::uint64_t key = mix(seed + golden_gamma);
  key = mix(key ^ mix(static_cast<std::uint64_t>(purpose) + golden_gamma));
  key = mix(key ^ mix(index + golden_gamma));
  for (auto& word : state_) word = mix(key += golden_gamma);
}

std::uint64_t Rng::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Rng::uniform(double low, double high) { return low + (high - low) * uniform(); }

std::uint64_t Rng::below(std::uint64_t bound) {
  expect(bound > 0, "below() needs a positive bound");
  // Rejects the incomplete last block, so that every residue is equally likely.
  const std::uint64_t reject_under = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t draw = bits();
    if (draw >= reject_under) return draw % bound;
  }
}

double Rng::normal() {
  for (;;) {
    const double u = uniform(-1, 1);
    const double v = uniform(-1, 1);
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

}  // namespace hone
