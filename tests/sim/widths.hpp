// What is promised of runs whose number of slots is a range.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>

namespace hone::sim {

struct WidthTally {
  std::int64_t ranges = 0;   // leases of sweeps with a range
  std::int64_t wide = 0;     // of these, with more than the least
  std::int64_t changed = 0;  // returns of a run to change its slots
};

// Repeats the ledger event by event. Returns the first lease with fewer or more slots than its
// sweep allows, or with more than the least while its worker would have got another run for the
// others; empty if there is none.
std::string greedy_width(SQLite::Database& db, WidthTally& tally);

}  // namespace hone::sim
