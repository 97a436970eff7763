// The rules. decide may refuse and changes nothing; evolve is total and never fails; answer reads
// the reply off the Book after its events were folded in, so that a repeated command finds the same
// answer.
#pragma once

#include "base/result.hpp"
#include "schemas/types/instant.hpp"
#include "server/sweep/command.hpp"
#include "server/sweep/state.hpp"

namespace hone {

// The events that `command` causes in `book` at `now`; possibly none. Pure.
Result<Events> decide(const Book& book, const Command& command, Instant now);

// Folds one event into the book. Total over every event that decide has ever produced.
void evolve(Book& book, const Event& event);

// What to tell the sender of a command whose events are now part of the book. Precondition: decide
// did not refuse it.
Reply answer(const Book& book, const Command& command);

// True when a parked Acquire might now get work: cheap, may be wrong towards true.
bool has_work(const Book& book);

// When a Tick must be decided next: the earliest lease expiry or time limit, or nullopt.
std::optional<Instant> next_deadline(const Book& book);

// A digest of everything decisions depend on (64 bits of FNV-1a over a canonical walk): replay must
// reproduce it.
std::uint64_t digest(const Book& book);

}  // namespace hone
