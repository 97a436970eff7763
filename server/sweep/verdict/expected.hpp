// What a model expects of the trials of a sweep of single, noisy runs (docs/leaderboard.md).
#pragma once

#include <optional>

#include "schemas/types/expected.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

// Returns what a model expects of the sweep's leading trials, if they are noisy, or were when it
// was last recorded, where that is due after so many reports. Call before a report is recorded.
std::optional<TrialsExpected> expect_trials_if_due(const Sweep& sweep);
// Appends the same after all reports of the history, and folds it into the history. Call before the
// sweep ends.
void expect_at_end(const Sweep& sweep, History& history, Events& events);
// Fold the event into its sweep, or into another history of it.
void fold_expected(Sweep& sweep, const TrialsExpected& e);
void fold_expected(const Sweep& sweep, const TrialsExpected& e, History& history);

}  // namespace hone
