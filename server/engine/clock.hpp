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

}  // namespace hone
