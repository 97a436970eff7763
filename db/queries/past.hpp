// The complete history of one sweep, and what it rests on.
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/past.hpp"

namespace hone {

// Returns its events in order; for an imported sweep, the original ones. Refuses (too_large) more
// than events_max.
Result<std::vector<Event>> read_past(SQLite::Database& db, SweepId sweep, std::size_t events_max);

// Returns the sweeps without which its decisions cannot be repeated, by number: itself, those that
// it learned from or confirms (theirs, too), and its confirmations.
std::vector<SweepId> replay_sources(SQLite::Database& db, SweepId sweep);

// Calls `visit` for each event of these sweeps, in order. Refuses (too_large) more than events_max,
// before the first.
Status visit_events(SQLite::Database& db, const std::vector<SweepId>& sweeps,
                    std::size_t events_max, const std::function<void(const Event&)>& visit);

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

// Returns its telemetry by run and name. Refuses (too_large) more than points_max.
Result<std::vector<Series>> read_series(SQLite::Database& db, SweepId sweep,
                                        std::size_t points_max);

}  // namespace hone
