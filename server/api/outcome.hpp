// What became of a sweep, for the last lines of every front end. Internal to server/api.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>
#include <vector>

#include "db/queries/overview.hpp"
#include "db/queries/rows.hpp"
#include "schemas/codec/json.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::api {

// Returns why a run failed, in one line: what its log says where the program ended itself, else
// what its worker observed.
std::string cause_of(const FailedRun& run);

// Failed runs of one cause. Causes that differ in numbers alone are the same.
struct CauseGroup {
  std::string cause;  // of the first run
  std::int64_t runs = 0;
  RunId first;
};
// The most frequent first; of equal ones the earlier run's.
std::vector<CauseGroup> group_causes(const std::vector<FailedRun>& runs);

// {"remarks", "causes", "ended_early"}: sentences about what a user would not expect of a sweep
// that has completed, and what they are about.
Json render_outcome(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec);

// {"busy_seconds", "run_seconds"}: how long the sweep worked, until `now` or its end. Null for a
// sweep of too many runs.
Json render_work(SQLite::Database& db, const SweepRow& sweep, Instant now);

}  // namespace hone::api
