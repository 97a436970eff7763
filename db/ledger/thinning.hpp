// Thins the telemetry of sweeps that ended long ago. Verdicts, values and lineage rest on the
// ledger, which this never touches; the newest value of each series stays findable, and what
// workers measured of the runs (hone.*) stays as it is.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

struct Thinning {
  Instant ended_before;          // of sweeps
  std::int64_t points_kept = 2;  // of each series, at least 2: its first, its last, evenly between
  std::string archive;           // a SQLite file that takes the others; empty: they are deleted
};

struct Thinned {
  std::int64_t sweeps = 0;   // that lost points
  std::int64_t removed = 0;  // points
};

// One transaction for each sweep, so that an interruption loses nothing: the next call continues.
// Points reach the archive, synced, before they leave the database. `progress` gets the number of
// sweeps done and of all. The connection must be the only writer. Refuses (unavailable) an archive
// that cannot be written, (invalid) one that is another file.
Result<Thinned> thin_metrics(SQLite::Database& db, const Thinning& thinning,
                             const std::function<void(std::int64_t, std::int64_t)>& progress);

}  // namespace hone
