// The one place where the coordinator reads a clock: once a batch, in the engine's loop. Everything
// else takes an Instant.
#pragma once

#include <chrono>
#include <functional>

#include "schemas/types/instant.hpp"

namespace hone {

using Clock = std::function<Instant()>;

struct SystemClock {
  Instant operator()() const {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count()};
  }
};

// Never stepped; its zero has no meaning.
struct MonotonicClock {
  Instant operator()() const {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
  }
};

// The wall clock without its steps. It advances with the monotonic clock: 1.5 times as fast while
// it is behind the wall clock, half as fast while it is ahead. However the wall clock is set, a
// lease therefore lasts between two thirds and twice its length, and time never stops.
class SlewedClock {
 public:
  // Starts at the time of the wall clock, but not before `floor`, the newest event of the ledger.
  SlewedClock(Clock wall, Clock monotonic, Instant floor);
  Instant operator()();

 private:
  Clock wall_;
  Clock monotonic_;
  Instant ticked_;  // the monotonic clock at the last call
  Instant now_;
};

}  // namespace hone
