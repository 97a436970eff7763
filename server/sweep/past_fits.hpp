// Whether an event of a foreign past may be folded: evolve is total over what decide has produced
// and over nothing else.
#pragma once

#include "base/result.hpp"
#include "server/sweep/state.hpp"

namespace hone {

// Refuses with a sentence that says what is wrong with the event.
Status fits(const Book& book, const EventBody& body);

}  // namespace hone
