// The history of a sweep as its stopping rule sees it, rebuilt from the query tables, since only
// the engine may read the Book.
#pragma once

#include <SQLiteCpp/Database.h>

#include <vector>

#include "base/result.hpp"
#include "db/queries/rows.hpp"
#include "schemas/codec/json.hpp"
#include "server/search/history/history.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::api {

// Bootstrap resamples behind each interval that GET /best and /confirm return.
inline constexpr int resamples = 2000;

struct Past {
  History history;
  std::vector<TrialId> trials;  // by number
};

// Refuses (too_large) a sweep with more runs than one answer may read.
Result<Past> read_past(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec);

// The final values of the runs, a row for each instance, as merits of the objective: minus infinity
// for runs that failed because of their parameters, no value for unfinished and lost runs.
std::vector<std::vector<double>> final_merits(const Past& past, std::size_t trial,
                                              const SweepSpec& spec);

// Whether a merit is a value: one of an objective of time may be that of a run, or of an aggregate,
// which has not reached the bar.
bool is_reached(double merit, const SweepSpec& spec);

// The merits, minus infinity where the bar is not reached: no difference to a time is a number, so
// that statistics leave such a run out as they do one that failed.
std::vector<double> censored_as_failed(std::vector<double> merits, const SweepSpec& spec);

// A merit as a value in the sign of the objective: "diverged", or of a time "not_reached", where it
// is no number. Values between references keep their scale.
Json shown(double merit, const SweepSpec& spec);

}  // namespace hone::api
