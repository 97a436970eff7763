#include "base/rng.hpp"

#include <cmath>

#include "base/expect.hpp"

namespace hone {
namespace {

Xoshiro256::Words words_at(std::uint64_t seed, Purpose purpose, std::uint64_t index) {
  constexpr auto gamma = SplitMix64::gamma;
  std::uint64_t key = SplitMix64::mix(seed + gamma);
  key = SplitMix64::mix(key ^ SplitMix64::mix(static_cast<std::uint64_t>(purpose) + gamma));
  key = SplitMix64::mix(key ^ SplitMix64::mix(index + gamma));
  SplitMix64 fill(key);
  Xoshiro256::Words words{};
  for (auto& word : words) word = fill.bits();
  return words;
}

}  // namespace

Rng::Rng(std::uint64_t seed, Purpose purpose, std::uint64_t index)
    : Uniform(words_at(seed, purpose, index)) {}

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
