// The leaderboard of a sweep, from its history (docs/leaderboard.md). db/leaderboard.hpp has the
// same order in SQL, and a test compares both.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "server/search/history/history.hpp"

namespace hone {

// Returns up to `count` trials of this sweep, best first: those of which a model expects a merit,
// by it; those with a value by that value; then those that trained less than half as long as the
// longest trial or, where contenders get further seeds, with less than half of the most runs. Ties:
// the lower number. Leaves out trials that failed or diverged, foreign ones and those without a
// value.
std::vector<std::size_t> find_leaders(const History& history, std::size_t count);

// Returns the trials that can be compared, by their value alone, best first. Of more than `most`
// trials it looks at that many, among them the best.
std::vector<std::size_t> comparable_trials(const History& history, std::size_t most);

// Returns the expected merit of every trial of several seeds, by index: its merit if it were
// trained again, shrunk towards the mean of all trials by the share of noise in it. nullopt for
// trials that failed, or that are too short to be compared; for all, if a seed has not reached an
// objective's bar.
std::vector<std::optional<double>> expectations_of(const History& history);

}  // namespace hone
