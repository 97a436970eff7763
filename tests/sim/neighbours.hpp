// What is promised of runs that leave their neighbours, and of slots that stay free.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>

namespace hone::sim {

struct NeighbourTally {
  std::int64_t forecast = 0;   // leases whose neighbours were measured
  std::int64_t kept = 0;       // times that a worker began to keep a slot free
  std::int64_t separated = 0;  // returns of a run for its neighbours
};

// Repeats the ledger event by event. Returns the first run that left its neighbours although it was
// the only one of its sweep, or twice in ten minutes, and the first slot that stays free without a
// neighbour or for a sweep without a run; empty if there is none.
std::string unfair_neighbours(SQLite::Database& db, NeighbourTally& tally);

}  // namespace hone::sim
