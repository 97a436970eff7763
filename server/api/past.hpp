// A sweep's history as its rule sees it, read off the tables again: the engine owns the Book.
#pragma once

#include <SQLiteCpp/Database.h>

#include <vector>

#include "base/result.hpp"
#include "db/queries/rows.hpp"
#include "schemas/types/spec.hpp"
#include "server/search/history/history.hpp"

namespace hone::api {

struct Past {
  History history;
  std::vector<TrialId> trials;  // by number
};

// Refuses (too_large) a sweep of more runs than may be read for one answer.
Result<Past> read_past(SQLite::Database& db, const SweepRow& sweep, const SweepSpec& spec);

// The runs' values at the end, an instance a row, as merits of the objective: minus infinity for
// those that failed for their parameters, nothing for those that are not over yet or were lost.
std::vector<std::vector<double>> final_merits(const Past& past, std::size_t trial,
                                              const SweepSpec& spec);

}  // namespace hone::api
