// How many slots a run gets whose sweep allows more than it needs (server/sweep/lease/widths.cpp).
#pragma once

#include <cstdint>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

// Why a run got no further slot.
enum class WidthRule {
  waiting,   // another run waited for slots
  full,      // its worker had no further free slot, or the sweep has reached slots.max
  most,      // it got resources.cpus.max
  measured,  // it got twice the most slots whose phases were measured
  gain,      // one more would shorten its phases by too little
  others,    // the rest shortens other runs of its worker by more
};

// The slots of a lease and what their number followed from.
struct Width {
  int cpus = 1;
  WidthRule rule = WidthRule::waiting;
  int free = 0;               // free slots of its worker, with those that it got
  std::int64_t measured = 0;  // phases of the sweep measured with more slots than the least
  double phase_s = 0;         // seconds of a phase with the least slots; 0: not measured
  double faster = 1;          // factor by which its phases should be shorter with `cpus`
  friend bool operator==(const Width&, const Width&) = default;
};

// Slots that a returned run waits for: until then no other worker gets it.
struct KeptSlots {
  WorkerId worker{};
  int cpus = 1;
  Instant until{};
  friend bool operator==(const KeptSlots&, const KeptSlots&) = default;
};

}  // namespace hone
