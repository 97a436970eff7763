// The newest runs and sweeps that are complete: the truth that forecasts are compared with. Each
// read looks at a bounded number of rows.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <vector>

#include "db/queries/rows.hpp"

namespace hone {

struct CompletedRun {
  RunId run;
  int phases = 1;  // of its budget; it has reported all of them
};
struct CompletedRunQuery {
  std::int64_t attempts_max = 0;  // looks at the newest attempts, so many
  std::int64_t runs_max = 0;
  int reports_min = 0;
};
// The runs with the newest last attempts, the newest first.
std::vector<CompletedRun> newest_completed_runs(SQLite::Database& db,
                                                const CompletedRunQuery& query);

struct CompletedSweepQuery {
  std::int64_t scanned_max = 0;  // looks at the newest sweeps, so many
  std::int64_t sweeps_max = 0;
  std::int64_t reports_max = 0;  // of each
};
// The sweeps that ended by themselves, the newest first.
std::vector<SweepId> newest_completed_sweeps(SQLite::Database& db,
                                             const CompletedSweepQuery& query);

// The progress of a sweep at an instant.
struct SweepCounts {
  std::int64_t started = 0;   // runs that a worker had got
  std::int64_t training = 0;  // of them, runs with a live attempt
  std::int64_t ended = 0;     // of them, runs that were over
  std::int64_t phases = 0;    // reports, without those that forks inherited
};
SweepCounts counts_at(SQLite::Database& db, SweepId sweep, Instant at);
// Reports after `from`, up to `to`, counted in the same way.
std::int64_t reports_between(SQLite::Database& db, SweepId sweep, Instant from, Instant to);

}  // namespace hone
