// The generators: own code, so that every compiler and library draws the same bits. A keying is an
// address, and part of the recorded behaviour: base/rng.hpp (search and ledger),
// worker/train/envs/core/stream.hpp (training) and placement/core/random_generator.hpp (placement).
// One thread at a time.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace hone {

// SplitMix64 (Steele, Lea and Flood, 2014). Its whole state is one number.
class SplitMix64 {
 public:
  static constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15ULL;

  // The finalizer: a bijection that spreads every input bit.
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  explicit constexpr SplitMix64(std::uint64_t state) : state_(state) {}
  std::uint64_t bits() { return mix(state_ += gamma); }
  [[nodiscard]] std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

// xoshiro256++ (Blackman and Vigna, 2019). Precondition: some word is not 0.
class Xoshiro256 {
 public:
  using Words = std::array<std::uint64_t, 4>;

  explicit Xoshiro256(const Words& words) : words_(words) {}

  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(words_[0] + words_[3], 23) + words_[0];
    const std::uint64_t shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = std::rotl(words_[3], 45);
    return result;
  }
  [[nodiscard]] const Words& words() const { return words_; }  // the whole state

 private:
  Words words_;
};

// Uniform numbers of a generator.
template <class Generator>
class Uniform : public Generator {
 public:
  using Generator::Generator;
  double uniform() { return static_cast<double>(this->bits() >> 11) * 0x1.0p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
};

// Standard normal by Box and Muller. The second value is not kept, so that the state of the
// generator is the whole state.
template <class Generator>
double box_muller(Generator& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

}  // namespace hone
