// How many phases a sweep trains if its program saves no checkpoint: the expectation that `hone
// plan` shows. Never used for decisions.
#pragma once

#include <cstdint>
#include <optional>

namespace hone {

struct SweepShape;
struct TerminatorSpec;

struct PhaseForecast {
  std::int64_t expected = 0;       // phases of all runs: the mean of the simulated sweeps
  std::int64_t low = 0, high = 0;  // 90 % of further simulated sweeps lie between
};

// Simulates sweeps of drawn learning curves under the rule that judges runs without a checkpoint
// (without_pauses). Rules judge their first runs mildly and rank reports that are correlated, so
// their closed forms are far too low for small sweeps. nullopt if `rule` pauses no run, if members
// or a bar end runs as well, or if trials of several seeds have more than 300 phases: a simulation
// would take too long.
std::optional<PhaseForecast> forecast_without_checkpoints(const TerminatorSpec& rule,
                                                          SweepShape shape);

}  // namespace hone
