// The complete history of one sweep.
#pragma once

#include <SQLiteCpp/Database.h>

#include <vector>

#include "base/result.hpp"
#include "schemas/types/past.hpp"

namespace hone {

// Returns its events in order; for an imported sweep, the original ones. Refuses (too_large) more
// than events_max.
Result<std::vector<Event>> read_past(SQLite::Database& db, SweepId sweep, std::size_t events_max);

// Returns its telemetry by run and name. Refuses (too_large) more than points_max.
Result<std::vector<Series>> read_series(SQLite::Database& db, SweepId sweep,
                                        std::size_t points_max);

}  // namespace hone
