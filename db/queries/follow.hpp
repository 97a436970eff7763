// The reads of ledger followers.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>
#include <vector>

#include "db/queries/rows.hpp"

namespace hone {

// Returns at most `limit` events after `after` of these kinds ("sweep_ended"), in order.
std::vector<EventRow> events_of_kinds(SQLite::Database& db, std::int64_t after,
                                      const std::vector<std::string>& kinds, std::int64_t limit);

}  // namespace hone
