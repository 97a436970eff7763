// How long a phase of a training takes with more slots, from a few measured phases.
//
// The seconds with n slots, relative to those with the least, are modelled as a l/n + b + c n/l, l
// the least: work that is shared, work that is not, and what coordination costs. This is Optimus'
// synchronous speed (speed.hpp) without parameter servers. A linear speed-up with 2 l slots counts
// as half a measured phase: the model is optimistic until phases were measured.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace hone::forecast {

struct WidthSample {
  int slots = 1;
  double ratio = 1;         // mean seconds of a phase, divided by those with the least slots; > 0
  std::int64_t phases = 0;  // measured
};

struct WidthModel {
  int least = 1;
  std::array<double, 3> terms{1, 0, 0};  // a, b, c, all >= 0
  // The seconds of a phase, divided by those with the least slots.
  [[nodiscard]] double ratio(int slots) const;
};

// Precondition: 1 <= least <= most.
WidthModel fit_widths(int least, int most, std::span<const WidthSample> samples);

}  // namespace hone::forecast
