// Checks an event of an imported past before it is folded: evolve() is total only over events that
// decide() has produced.
#pragma once

#include "base/result.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

struct EventBody;

// Refuses an event that does not fit the book. The error continues the sentence "event N ...".
Status fits(const Book& book, const EventBody& body);

}  // namespace hone
