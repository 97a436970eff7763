// The rules of the coordinator. decide() may refuse, and changes nothing; evolve() is total and
// never fails; answer() reads the reply from the Book after the events were folded in, so that a
// repeated command gets the same reply.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"
#include "server/sweep/command.hpp"
#include "server/sweep/state.hpp"

namespace hone {

struct Event;

// Returns the events that `command` causes in `book` at `now`; possibly none. Pure.
Result<Events> decide(const Book& book, const Command& command, Instant now);

// Folds one event into the book. Total over every event that decide has ever produced.
void evolve(Book& book, const Event& event);

// Returns the reply to a command whose events are part of the book. Precondition: decide() did not
// refuse it.
Reply answer(const Book& book, const Command& command);

// Returns what parked Acquires might get now: the resources of each sweep that has a run to give,
// each once. Proposes nothing. May return false positives: a run may avoid every parked worker.
std::vector<ResourcesSpec> resources_wanted(const Book& book);
// Returns whether one of them fits what the worker may still take.
bool may_serve(const Book& book, const AcquireRequest& request,
               std::span<const ResourcesSpec> wanted);

// Returns when a Tick must be decided next: at the earliest deadline, or nullopt if there is none.
std::optional<Instant> next_deadline(const Book& book);

}  // namespace hone
