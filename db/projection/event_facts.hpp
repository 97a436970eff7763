// What follows from an event alone.
#pragma once

#include <optional>
#include <variant>

#include "schemas/types/event.hpp"

namespace hone {

// The state of a sweep that was steered so.
SweepState state_after(Verb verb);

// The exit status that decided a run's end. A run that its verdict ended, or whose worker was lost,
// has none.
std::optional<int> deciding_exit_code(const RunEnded& e);

template <class Id>
std::optional<Id> or_none(Id id) {
  return id ? std::optional(id) : std::nullopt;
}

// Where the id that leads to the sweep of an event is.
using SweepClue = std::variant<std::monostate, SweepId, TrialId, LeaseId, ModelId>;
SweepClue sweep_clue(const EventBody& body);

}  // namespace hone
