// A reference implementation of how the Book aggregates trials of several runs: computed from the
// reports and ends of the runs alone, with none of the code that the rules use.
#pragma once

#include <string>

#include "server/sweep/state/state.hpp"

namespace hone::sim {

// A trial is at the furthest phase that all of its first runs have completed. A run that was lost
// permanently is not waited for; one that diverged, or failed for its parameters, is minus infinity
// from there on; one that finished early keeps its last value. Returns what is wrong, or an empty
// string.
std::string dishonest_aggregate(const Book& book);

// A confirmation trains parameter sets of the sweep that it confirms, each on the same seeds, and
// on none of the seeds of the tuning.
std::string dishonest_confirmation(const Book& book);

// In a sweep that ended by itself, no run was closed while it waited for a seed that never ran.
std::string waited_for_ever(const Book& book);

}  // namespace hone::sim
