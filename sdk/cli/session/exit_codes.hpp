// The exit statuses of `hone`. Scripts rely on these numbers: they do not change.
#pragma once

#include "base/result.hpp"
#include "schemas/types/states.hpp"

namespace hone::cli {

enum class Exit : int {
  ok = 0,
  general = 1,
  usage = 2,  // a wrong command line or an invalid sweep file
  not_found = 3,
  conflict = 4,
  forbidden = 5,
  unreachable = 6,
  timed_out = 7,
  sweep_failed = 10,
  sweep_canceled = 11,
  interrupted = 130,
};

Exit exit_for(Code code);

// For `watch` and `submit --watch`; a sweep that has not ended is Exit::ok.
Exit exit_for(SweepState state);

}  // namespace hone::cli
