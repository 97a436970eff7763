// Which checkpoints outlive their run. While a run may go on it keeps all of them; once it is over,
// the rule of its sweep (checkpoints.keep) drops those that nobody will ask for.
#pragma once

#include "server/sweep/command.hpp"
#include "server/sweep/state.hpp"

namespace hone {

// `events` with a ModelDropped after every RunEnded, and after every late ModelSaved, for each
// checkpoint of that run which the rule lets go. Of a run that its terminator closed the checkpoint
// of its best report stays; of any other run the newest one too, from which it could be continued.
// Never drops what `best` lists.
Events with_dropped_models(const Book& book, Events events);

}  // namespace hone
