// All that happened to one sweep.
#pragma once

#include <SQLiteCpp/Database.h>

#include <vector>

#include "base/result.hpp"
#include "schemas/types/past.hpp"

namespace hone {

// Its events in order; those of an imported sweep as they were where it ran. Refuses (too_large)
// more than so many.
Result<std::vector<Event>> read_past(SQLite::Database& db, SweepId sweep, std::size_t events_max);

// Its telemetry, by run and name. Refuses (too_large) more points than so many.
Result<std::vector<Series>> read_series(SQLite::Database& db, SweepId sweep,
                                        std::size_t points_max);

}  // namespace hone
