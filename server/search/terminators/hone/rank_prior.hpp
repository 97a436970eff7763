// How far early ranks foretell those at the end of a run, measured on the runs of earlier sweeps.
#pragma once

#include <optional>
#include <span>

#include "schemas/types/rank_prior.hpp"
#include "server/search/history/history.hpp"

namespace hone {

struct TerminatorSpec;

// Returns whether the rule is one that uses such a prior.
bool uses_rank_prior(const TerminatorSpec& rule);

struct EarlierSweep {
  const History& history;
  int phases = 1;
  int first_runs = 1;  // of each trial; further ones are second looks at leaders
};

// Measures, at each tenth of a run, Kendall's tau between the smoothed scores there and at the end,
// over pairs of complete or diverged runs of one sweep of which the better one at the end is in the
// better third of its sweep. A diverged run is last from then on. Pairs that tie at the end are
// left out; ties before it count as half agreed. The standard error is by jackknife over runs, at
// least 0.5 / sqrt(complete runs). Reads the first 200 such runs of a sweep. Returns nullopt
// without a pair that has an order, and of sweeps of a single phase.
std::optional<RankPrior> measure_rank_prior(std::span<const EarlierSweep> sweeps);

// Returns how far ranks after `phase` of `phases` reports may be trusted: tau + one standard error,
// linear between tenths and up to 1 at the end, in [0, 1].
double trust(const RankPrior& prior, int phase, int phases);

// Returns tau itself, interpolated alike.
double agreed(const RankPrior& prior, int phase, int phases);

}  // namespace hone
