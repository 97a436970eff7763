// The best trials of a sweep.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "server/search/terminators/terminator.hpp"

namespace hone {

// Returns up to `count` trials of this sweep that have a result, best first: the incumbent of the
// terminator, then the others in the order of the history. Leaves out failed and foreign trials.
std::vector<std::size_t> find_leaders(const History& history, const Terminator& terminator,
                                      std::size_t count);

// Returns the expected merit of every trial, by index (TrialRank::expected in race.hpp); nullopt
// for trials that are too short to be compared.
std::vector<std::optional<double>> expectations_of(const History& history);

}  // namespace hone
