// Why a sweep came before others when slots were free (server/sweep/state/fair_share.hpp).
#pragma once

#include "schemas/types/ids.hpp"

namespace hone {

// By which rule a sweep got slots before others. minimum: it held fewer than its slots.min; share:
// it had got the least for its share.
enum class TurnRule { minimum, share };

// Why a sweep got the slots of a lease although others waited for slots, too.
struct Turn {
  TurnRule rule = TurnRule::share;
  double weight = 1;        // its share, times the urgency of its deadline
  double service = 0;       // slot-seconds for each unit of weight, so far
  std::int64_t held = 0;    // slots of its live runs before
  SweepId next{};           // the sweep that would have been next
  double next_service = 0;  // of that one
  std::int64_t next_held = 0;
  int waiting = 0;  // sweeps that could have taken the slots, besides it
  friend bool operator==(const Turn&, const Turn&) = default;
};

}  // namespace hone
