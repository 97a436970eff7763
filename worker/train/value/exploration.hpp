// The probability of a random action.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hone::q {

enum class EpsilonSchedule {
  linear,       // from start to end in `frames`
  exponential,  // end + (start - end) * exp(-t / frames)
  constant,     // start
  per_actor,    // environment i of N: start^(1 + spread * i / (N - 1)) (Horgan et al., 2018)
};

struct Exploration {
  EpsilonSchedule schedule = EpsilonSchedule::linear;
  double start = 1;
  double end = 0.05;
  double frames = 1;
  double spread = 7;

  // Of environment `index` of `count`, after `frame` frames of the run.
  [[nodiscard]] double epsilon(std::int64_t frame, int index, int count) const {
    const double share = static_cast<double>(frame) / frames;
    switch (schedule) {
      case EpsilonSchedule::linear:
        return start + (end - start) * std::min(share, 1.0);
      case EpsilonSchedule::exponential:
        return end + (start - end) * std::exp(-share);
      case EpsilonSchedule::constant:
        return start;
      case EpsilonSchedule::per_actor:
        break;
    }
    return std::pow(start, 1 + (count > 1 ? spread * index / (count - 1) : 0));
  }
};

}  // namespace hone::q
