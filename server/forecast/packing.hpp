// What a further run on a worker would gain: the speeds of all its runs together, each relative to
// alone, with and without it. Each neighbour adds its own delay: a step of a run next to two others
// takes twice the time if it takes 1.5 times as long next to each of them. So it is with runs that
// share a core.
#pragma once

#include <span>

#include "server/forecast/pairs.hpp"

namespace hone::forecast {

// Below this part of the speeds without it, a further run costs more than it brings.
inline constexpr double packing_loss_max = 0.05;

struct Packing {
  double speed = 1;           // of the newcomer, relative to alone
  double without = 0;         // sum of the speeds of the runs that are there
  double with = 1;            // the same with the newcomer
  double with_most = 1;       // `with`, if each pair were two standard errors faster
  std::int64_t measured = 0;  // measurements of the newcomer's least measured pair
  // Whether the sum of the speeds clearly falls, by enough measurements.
  [[nodiscard]] bool loses() const {
    return measured >= judged_after && with_most < (1 - packing_loss_max) * without;
  }
};

// `present`: the types of the runs that are there.
Packing pack(const PairEstimate& pairs, int kind, std::span<const int> present, int newcomer);

}  // namespace hone::forecast
