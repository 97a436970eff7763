// Randomness with an address: Stream(seed, purpose, index) is the same sequence wherever and
// whenever it is drawn, so a result does not depend on the number of threads.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace hone::envs {

enum class Purpose : std::uint64_t {
  environment = 1,
  action = 2,
  weights = 3,
  evaluation = 4,
  worker_counts = 5,
  replay = 6,
  exploration = 7,
  minibatches = 8
};

// xoshiro256++ keyed by SplitMix64. Models depend on the keying and on the distributions.
class Stream : public Uniform<Xoshiro256> {
 public:
  Stream(std::uint64_t seed, Purpose purpose, std::uint64_t index)
      : Uniform(words_at(
            SplitMix64(seed).bits() ^
            SplitMix64(static_cast<std::uint64_t>(purpose) * SplitMix64::gamma + index).bits())) {}
  // Continues from the words() of a checkpoint.
  explicit Stream(const Words& words) : Uniform(words) {}

  double normal() { return box_muller(*this); }

 private:
  static Words words_at(std::uint64_t key) {
    SplitMix64 fill(key + SplitMix64::gamma);
    Words words{};
    for (auto& word : words) word = fill.bits();
    return words;
  }
};

}  // namespace hone::envs
