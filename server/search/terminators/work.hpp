// How many runs a budget of phases pays for, from what runs needed so far: W0 of HyperTrick, and
// the same number for any other rule. Closed forms are optimistic on real curves, where reports of
// different phases agree and early runs are judged mildly.
#pragma once

#include <cstdint>
#include <optional>

#include "server/search/history/history.hpp"

namespace hone {

// Mean phases a run trains for, of `phases`, measured. When every run has ended this is phases
// trained / runs ended. Before, runs that are still open count as far as they got (the
// product-limit estimate): those that ended so far are the poor ones, and their mean alone would be
// too small. nullopt before the first run that trained has ended. Runs whose end says nothing about
// their parameters count as open.
std::optional<double> measured_phases(const History& history, int phases);

// Runs that fit into the budget, at least 1.
std::int64_t runs_that_fit(double budget_phases, double phases_per_run);

}  // namespace hone
