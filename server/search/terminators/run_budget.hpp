// How many runs fit into a budget of phases, from what runs have needed so far: W0 of HyperTrick,
// and the same number for any other rule. A rule's closed form (Terminator::expected_phases) is
// optimistic on real curves, where reports of different phases are correlated and early runs are
// judged mildly.
#pragma once

#include <cstdint>
#include <optional>

#include "server/search/history/history.hpp"

namespace hone {

// Returns the mean number of phases, out of `phases`, that a run trains for: the Kaplan-Meier
// (product-limit) estimate, in which open runs count as far as they got. The mean over ended runs
// alone would be too small, because poor runs end first. Runs whose end is no evidence about their
// parameters count as open. nullopt before the first run that trained has ended.
std::optional<double> measured_phases(const History& history, int phases);

// Returns how many runs fit into the budget, at least 1.
std::int64_t runs_that_fit(double budget_phases, double phases_per_run);

}  // namespace hone
