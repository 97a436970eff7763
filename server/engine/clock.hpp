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

// Since the machine started; never stepped. Its zero means nothing.
struct MonotonicClock {
  Instant operator()() const {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
  }
};

// The wall's time without its steps. It runs on with the monotonic clock; after the wall was set
// forwards it runs half as fast again until it has caught up, after it was set back at half speed
// until the wall has. A lease is therefore never shorter than two thirds of its length nor longer
// than twice, whatever is done to the wall clock; nor is there a time at which it stands still.
class SlewedClock {
 public:
  // Starts at the wall's time, but not before `floor`: the newest event of the ledger.
  SlewedClock(Clock wall, Clock monotonic, Instant floor);
  Instant operator()();

 private:
  Clock wall_;
  Clock monotonic_;
  Instant ticked_;  // of the monotonic clock, at the last call
  Instant now_;
};

}  // namespace hone
