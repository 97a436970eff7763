// Rewrites a ledger without some of its events: the only place that breaks its permanence, for
// `hone db repair`.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <set>

namespace hone {

// Removes these events: later ones get the numbers that follow, and new links. Makes the query
// tables again, and removes telemetry of runs that are gone, what left memory, and the list of
// quarantined sweeps. All in one transaction. Throws std::runtime_error or SQLite::Exception, with
// nothing changed, where the events that stay contradict each other.
void leave_out(SQLite::Database& db, const std::set<std::int64_t>& events);

}  // namespace hone
