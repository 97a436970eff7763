// The best value by cost (docs/leaderboard.md).
#pragma once

#include <optional>
#include <vector>

#include "schemas/types/ids.hpp"

namespace hone::api {

struct PricedTrial {
  TrialId id;
  double seconds = 0;  // of a training
  double merit = 0;    // of its value; larger is better
};

// Returns the trials that are better than every trial which took no longer, the cheapest first.
// `within`: only trials of at most so many seconds. Of equals the first in `trials` counts.
std::vector<PricedTrial> front_by_cost(std::vector<PricedTrial> trials,
                                       std::optional<double> within = {});

}  // namespace hone::api
