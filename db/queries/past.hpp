// The complete history of one sweep, and what it rests on.
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/past.hpp"

namespace hone {

// Returns the sweeps without which its decisions cannot be repeated, by number: itself, those that
// it learned from or confirms (theirs, too), and its confirmations.
std::vector<SweepId> replay_sources(SQLite::Database& db, SweepId sweep);

// imported: the event happened on the server that the sweep was imported from.
using VisitEvent = std::function<void(const Event&, bool imported)>;

// Calls `visit` for each event of these sweeps, in order. Where the sweep `own` was imported, its
// original events take the place of the one that holds them. Refuses (too_large) more than
// events_max of the ledger, before the first.
Status visit_events(SQLite::Database& db, const std::vector<SweepId>& sweeps, SweepId own,
                    std::size_t events_max, const VisitEvent& visit);

// Returns the newest sweep, other than confirmations, that was submitted at that time with that
// seed, here or before an import.
std::optional<SweepId> sweep_submitted(SQLite::Database& db, Instant at, std::uint64_t seed);

// Returns the confirmations of the sweep with that seed.
std::vector<SweepId> confirmations_of(SQLite::Database& db, SweepId sweep, std::uint64_t seed);

// Returns the sweep of this server that the sweep confirms.
std::optional<SweepId> confirmed_by(SQLite::Database& db, SweepId sweep);

// Returns "4711:9f86d0..." of the newest event of these sweeps: the number with its link, which
// stands for all events before it. Of an imported sweep without later events it is that of the
// ledger that it was exported from. Empty where no link is known.
std::string newest_link(SQLite::Database& db, const std::vector<SweepId>& sweeps);

// The same of this ledger, which its own check accepts: of an imported sweep, that of its import.
std::string own_link(SQLite::Database& db, const std::vector<SweepId>& sweeps);

}  // namespace hone
