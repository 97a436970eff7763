// Facts that follow from an event alone.
#pragma once

#include <optional>
#include <variant>

#include "schemas/types/event.hpp"

namespace hone {

// The state of a sweep after the verb.
SweepState state_after(Verb verb);

// The exit status that decided the end of a run; nullopt if a verdict or the loss of its worker
// ended it.
std::optional<int> deciding_exit_code(const RunEnded& e);

template <class Id>
std::optional<Id> or_none(Id id) {
  return id ? std::optional(id) : std::nullopt;
}

// The id from which the sweep of an event can be looked up.
using SweepClue = std::variant<std::monostate, SweepId, TrialId, LeaseId, ModelId>;
SweepClue sweep_clue(const EventBody& body);

}  // namespace hone
