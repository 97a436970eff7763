// How many phases a sweep trains: what `hone plan` expects. Never used for decisions.
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

// Both simulate sweeps of drawn learning curves. Rules judge their first runs mildly and rank
// reports that are correlated, so their closed forms are too low for small sweeps. nullopt if
// members or a bar end runs as well, or if trials of several seeds have more than 300 phases: a
// simulation would take too long.

// Of a rule that pauses no run. nullopt for others, for one that judges values themselves, and
// where one that judges whole curves has more than 300 phases.
std::optional<PhaseForecast> forecast_without_pauses(const TerminatorSpec& rule,
                                                     const SweepShape& shape);

// Of a program that saves no checkpoint, whose runs another rule judges (without_pauses). nullopt
// if `rule` pauses no run.
std::optional<PhaseForecast> forecast_without_checkpoints(const TerminatorSpec& rule,
                                                          const SweepShape& shape);

}  // namespace hone
