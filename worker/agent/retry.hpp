// When to try again: doubling from 100 ms to 5 s, spread by a seed so that a thousand workers do
// not come back in step. Deterministic: the same seed gives the same times.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/random.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {

class Retry {
 public:
  explicit Retry(std::uint64_t seed = 0) : random_(seed) {}

  void reset() { failures_ = 0; }

  // The wait after one more failure: between half and all of the doubled period.
  Duration next() {
    const int doublings = std::min(failures_++, 10);
    const std::int64_t period =
        std::min(limits::retry_first.us << doublings, limits::retry_last.us);
    return {period / 2 +
            static_cast<std::int64_t>(random_.bits() % static_cast<std::uint64_t>(period / 2 + 1))};
  }

  [[nodiscard]] int failures() const { return failures_; }

 private:
  SplitMix64 random_;
  int failures_ = 0;
};

}  // namespace hone::worker
