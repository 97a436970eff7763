// What a model expects of the trials of a noisy sweep (docs/leaderboard.md).
#pragma once

#include <vector>

#include "schemas/types/ids.hpp"

namespace hone {

// What a trial's value would be in another training, with one standard deviation on either side: in
// the unit of the objective.
struct ExpectedValue {
  TrialId trial;
  double value = 0;
  double low = 0;
  double high = 0;
};

// The values of a sweep are noisy: these trials rank by what a model expects of them. Replaces the
// earlier one of the sweep; without trials, values rank again.
struct TrialsExpected {
  SweepId sweep;
  double noise = 0;                   // share of the variance of values
  std::vector<ExpectedValue> trials;  // best first
};

}  // namespace hone
