// What follows from an event alone.
#pragma once

#include <optional>

#include "schemas/types/event.hpp"

namespace hone {

// The state of a sweep that was steered so.
SweepState state_after(Verb verb);

// The exit status that decided a run's end. A run that its verdict ended, or whose worker was lost,
// has none.
std::optional<int> deciding_exit_code(const RunEnded& e);

}  // namespace hone
