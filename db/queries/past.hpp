// The complete history of one sweep, and what it rests on.
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
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

// Returns its telemetry by run and name. Refuses (too_large) more than points_max.
Result<std::vector<Series>> read_series(SQLite::Database& db, SweepId sweep,
                                        std::size_t points_max);

}  // namespace hone
