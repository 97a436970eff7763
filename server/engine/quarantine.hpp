// What the Book keeps of sweeps that a start could not read.
#pragma once

#include "db/ledger/chain.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

struct EventBody;

// Folds a row of a quarantined sweep: no id that it uses is given again, and the leases after its
// own keep their places.
void evolve_left_out(Book& book, const LedgerRow& row);

// Throws std::runtime_error if the event, which was folded, is an edit that left a domain in which
// nothing can be proposed: a hone that checked edits by other rules than submissions accepted them.
void expect_allowed(const Book& book, const EventBody& event);

}  // namespace hone
