// Reads about trials with several seeds and their confirmations (sweeps.cpp).
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/queries/rows.hpp"

namespace hone {

// A trial with its best run; nullopt if it has no value. Leaves its rank at 1.
std::optional<BestRow> best_of_trial(SQLite::Database& db, TrialId trial, Goal goal);

// The newest sweep that confirms this one.
std::optional<SweepId> newest_confirmation(SQLite::Database& db, SweepId sweep);

// All sweeps that confirm this one and have ended, oldest first.
std::vector<SweepId> ended_confirmations(SQLite::Database& db, SweepId sweep);

// The first trial with exactly this text of parameters.
std::optional<TrialId> trial_of_params(SQLite::Database& db, SweepId sweep,
                                       const std::string& params);

struct SeedCounts {  // of the runs of a sweep that reported
  std::int64_t runs = 0;
  std::int64_t said = 0;     // whether their seed was applied
  std::int64_t applied = 0;  // and that it was
};
SeedCounts count_seeds(SQLite::Database& db, SweepId sweep);

}  // namespace hone
