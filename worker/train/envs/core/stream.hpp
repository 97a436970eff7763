// Randomness with an address: Stream(seed, purpose, index) is the same sequence wherever and
// whenever it is drawn, so a result does not depend on the number of threads. xoshiro256++ keyed by
// SplitMix64; own distributions.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace hone::envs {

enum class Purpose : std::uint64_t {
  environment = 1,
  action = 2,
  weights = 3,
  evaluation = 4,
  worker_counts = 5
};

class Stream {
 public:
  using Words = std::array<std::uint64_t, 4>;

  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    std::uint64_t key = mix(seed) ^ mix(static_cast<std::uint64_t>(purpose) * odd_ + index);
    for (auto& word : words_) word = mix(key += odd_);
  }
  explicit Stream(const Words& words) : words_(words) {}

  // The whole state, for checkpoints.
  [[nodiscard]] const Words& words() const { return words_; }

  std::uint64_t bits() {
    const auto result = rotate(words_[0] + words_[3], 23) + words_[0];
    const auto shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = rotate(words_[3], 45);
    return result;
  }

  // In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  // Standard normal (Box and Muller; the second value is not kept, so the state is the words
  // alone).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t odd_ = 0x9e3779b97f4a7c15U;

  static constexpr std::uint64_t rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  static constexpr std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finalizer
    x += odd_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

  Words words_{};
};

}  // namespace hone::envs
