// Warm starts: the trials of earlier sweeps as evidence for a new one.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "schemas/types/learned.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

// Refuses earlier sweeps that do not exist, that have another objective, or of which no trial lies
// in the new space. Returns how many trials of each are used.
Result<std::vector<Learned>> check_warm_start(const Book& book, const SweepSpec& spec);

// Adds the trials of spec.search.warm_start to the history, in the order of the sweeps and their
// trials. A trial is mapped parameter by parameter, by name; a trial
// that was stopped at phase p of P counts as stopped at the same share of the new phases. Leaves
// out a trial if
//   - it has no result yet,
//   - it has no value for a free parameter of the new space, or one outside the new domain (values
//     of parameters that only the earlier sweep has are ignored), or
//   - it breaks a constraint of the new space, or
//   - it was stopped before the share of its budget that the first new phase is: nothing compares
//     with its value (since rules 5, SweepSubmitted::rules; before, it counted as that phase).
void warm_start(const Book& book, const SweepSpec& spec, int rules, const SearchSpace& space,
                History& history);

// Returns what the sweeps of spec.search.warm_start have shown about early ranks, for a rule that
// uses it. Leaves out populations and sweeps of several instances. nullopt also for an objective of
// time, whose curves are no scores.
std::optional<RankPrior> earlier_ranks(const Book& book, const SweepSpec& spec);

// Moves the points of the sweep's history from the coordinates of the space before an edit to those
// of its wider one.
void move_points(const SearchSpace& before, Sweep& sweep);

}  // namespace hone
