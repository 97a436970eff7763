// What all versions of the rule `hone` share: the rank of a run at a phase, the paused run to
// continue next, and the run that a fork continues.
#pragma once

#include <cstddef>
#include <optional>

#include "server/search/terminators/hone/smoothed_curves.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {

// The rank of a run among those that reported as many phases.
struct PhaseRank {
  double place = 1;  // counted from 1
  double rivals = 0;
  double quota = 0;
  bool tied = false;  // the upper half of all runs ties with the first, this one included
  // The tolerance keeps 12 * (1 / 2) at 6.
  [[nodiscard]] bool promotable() const { return place <= quota + 1e-9 || tied; }
};

// Returns the rank without a quota. With `forks`, a run has no rank at phases that it inherited:
// those were reported by another run, which counts.
PhaseRank phase_rank(const SmoothedCurves& curves, std::size_t run, int phase, bool forks);

// Returns the best paused run with exactly `reports` reports; 0: with any number.
std::optional<std::size_t> best_paused(const SmoothedCurves& curves, int reports);

// Returns whether trial `number` begins a further 1 / share of all: of a share of 0.03 trials 0,
// 33, 66, ...
bool is_turn(double share, std::size_t number);

// Returns a run of the best fifth by their latest scores, and a decision phase on its way: both
// drawn, so that forks of one time differ.
std::optional<Donor> find_donor(const SmoothedCurves& curves, const SweepShape& shape, int grain,
                                std::size_t number);

}  // namespace hone
