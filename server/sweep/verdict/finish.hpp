// The last rule of a sweep: its winner trains to the end of its budget. Internal to server/sweep.
#pragma once

#include <optional>

#include "server/sweep/state/command.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

// Returns the paused run that trains to its end although the terminator has nothing to promote: of
// the best trial that its rule has not stopped, the run that is furthest behind. nullopt if that
// trial is complete or none is paused. Once that run trains, the rule lets the other seeds follow.
std::optional<RunId> run_to_finish(const Sweep& sweep, const History& history);
// Returns that run of the trial in the lead, if it is paused; nullopt in sweeps of earlier rules.
std::optional<RunId> paused_leader(const Sweep& sweep);
// Closes paused runs that can no longer be promoted, except the one that is being leased, the other
// seeds of a winner, and the runs of a leading trial: what still trains may end below it.
void close_unpromotable(const Sweep& sweep, const Book& book, RunId leased, Events& events);
// Whether the winner of the sweep trains on: by its rules, and by how many seeds a trial has.
bool finishes_winner(const Sweep& sweep);

}  // namespace hone
