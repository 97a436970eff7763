// What the Book makes of trials of several runs, told a second time in plain words: from the
// reports and ends of the runs alone, by none of the code that the rules use.
#pragma once

#include <string>

#include "server/sweep/state.hpp"

namespace hone::sim {

// A trial stands at the furthest phase that all of its first runs came through. A run that was lost
// for good is not waited for; one that diverged, or failed for its parameters, is minus infinity
// from there on; one that finished early keeps its last value. Empty, or what is wrong.
std::string dishonest_aggregate(const Book& book);

// A confirmation trains sets of the sweep that it confirms, each on the same seeds, and on none
// that the tuning had.
std::string dishonest_confirmation(const Book& book);

// In a sweep that ended by itself: no run was closed while it waited for a seed that will never
// come.
std::string waited_for_ever(const Book& book);

}  // namespace hone::sim
