// Turns trials of several runs into trials of one run each, for rules that judge single runs.
#pragma once

#include <optional>

#include "server/search/history/seed_curves.hpp"

namespace hone {

// A trial whose values count for `phases` phases, even if some of its runs have not reported them.
struct EarlyTrial {
  std::size_t trial = 0;
  int phases = 0;
};

// Returns a history in which run t is trial foreign + t of `history`, with one report for each
// phase that its first runs have all reported: the aggregate of their values. The run is ended if
// all runs of the trial have ended, and paused if none of them is active.
History collapse_seeds(const History& history, std::optional<EarlyTrial> early = std::nullopt);

// Returns whether a first run of the trial trains beyond `length` phases, or has done so.
bool goes_beyond(const History& history, std::size_t trial, int length);

}  // namespace hone
