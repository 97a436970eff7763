// The value of a trial from the reports of its runs, as the leaderboard defines it
// (docs/leaderboard.md). Internal to db.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "schemas/types/expected.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/score.hpp"

namespace hone {

// Keeps trial.cost and its neighbours, sweep.longest and sweep.most_runs.
class TrialValues {
 public:
  explicit TrialValues(SQLite::Database& db);
  ~TrialValues();

  // Returns what a report counts as (schemas/types/reach.hpp).
  Score counted(SweepId sweep, Score value, std::int64_t step, std::optional<double> spent);
  // After a report was recorded in the row of its run. `cost` is that of the report.
  void reported(SweepId sweep, RunId run, int phase, double cost);
  // After a run has ended; `failed` unless it completed or was stopped by a rule or a user.
  void ended(SweepId sweep, TrialId trial, bool failed);
  // After a further run was added.
  void added(SweepId sweep, TrialId trial);
  // After a confirmation has ended: writes its results to the confirmed trials.
  void confirmed(SweepId confirmation);
  // Replaces what a model expects of the sweep's trials.
  void expected(const TrialsExpected& e);
  // Drops what was cached.
  void forget();

 private:
  struct Statements;
  void assess(SweepId sweep, TrialId trial);
  std::unique_ptr<Statements> statements_;
};

}  // namespace hone
