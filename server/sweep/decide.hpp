// The rules of the coordinator. decide() may refuse, and changes nothing; evolve() is total and
// never fails; answer() reads the reply from the Book after the events were folded in, so that a
// repeated command gets the same reply.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"
#include "server/sweep/state/command.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

struct Event;

// Returns the events that `command` causes in `book` at `now`; possibly none. Pure.
Result<Events> decide(const Book& book, const Command& command, Instant now);

// Folds one event into the book. Total over every event that decide has ever produced.
void evolve(Book& book, const Event& event);

// Returns the reply to a command whose events are part of the book. Precondition: decide() did not
// refuse it.
Reply answer(const Book& book, const Command& command);

// Returns when a Tick must be decided next: at the earliest deadline, or nullopt if there is none.
std::optional<Instant> next_deadline(const Book& book);

}  // namespace hone
