// The parameters of a run that change while it trains.
#pragma once

#include "schemas/types/value.hpp"

namespace hone {

// From a phase on, a run of a schedule trains with other parameters.
struct ScheduleStage {
  int phase = 0;  // the first one, at least 1
  Params params;
  friend bool operator==(const ScheduleStage&, const ScheduleStage&) = default;
};

}  // namespace hone
