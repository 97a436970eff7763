// Decides which checkpoints outlive their run. While a run may continue, it keeps all of them;
// after its end, the rule of its sweep (checkpoints.keep) drops those that are no longer needed.
#pragma once

#include "server/sweep/state/command.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

// Returns `events` with a ModelDropped after every RunEnded, and after every late ModelSaved, for
// each checkpoint of that run that the rule drops. A run that its terminator closed keeps the
// checkpoint of its best report; any other run also keeps the newest one, from which it could be
// continued. Never drops a checkpoint that `best` lists.
Events with_dropped_models(const Book& book, Events events);

}  // namespace hone
