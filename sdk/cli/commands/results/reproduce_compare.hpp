// What a repetition of a run printed, and where it differs from what was recorded.
#pragma once

#include <vector>

#include "sdk/cli/commands/results/reproduce_recorded.hpp"

namespace hone::cli {

// What the run did this time.
struct Again {
  std::vector<Json> reports;
  std::vector<Json> checkpoints;
  Json exit;
};

// Compares reports one by one, then the digests of the checkpoints. Returns {what, recorded, again}
// of the first difference, or null. Counts the equal checkpoints in `models`.
Json first_difference(const Recorded& recorded, const Again& again, Json& models);

}  // namespace hone::cli
