// A history in which every trial has one run: what its runs did together.
#pragma once

#include <optional>

#include "server/search/history/panel.hpp"

namespace hone {

// One trial with its values up to a phase, however few of its runs came as far.
struct Ahead {
  std::size_t trial = 0;
  int phases = 0;
};

// Run t of the result is trial foreign + t of `history`, with the aggregate of every phase that it
// came through. It is paused when none of its first runs is active at that length, and ended when
// all of its runs are.
History whole_trials(const History& history, std::optional<Ahead> ahead = std::nullopt);

// Whether some first run of the trial trains on beyond `length` phases, or has.
bool goes_beyond(const History& history, std::size_t trial, int length);

}  // namespace hone
