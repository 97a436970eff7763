// When so many runs of a sweep fail that it ends as failed. Internal to server/sweep.
#pragma once

#include "server/sweep/state/rules.hpp"

namespace hone {

// A sweep without limits.max_failed ends as failed after this many trials in a row that failed in
// the same way: its first ones, or later ones. Few enough to save the user's time; more than chance
// explains where one parameter set in four fails.
inline constexpr int in_a_row_first = 5;
inline constexpr int in_a_row_later = 20;

// Count the end of a run with so many reports, and a run that was paused after a report.
void note_end(FailureTally& tally, const RunEnded& end, std::size_t reports);
void note_success(FailureTally& tally);

// Returns the end of the sweep's failures as a sentence: how many runs failed, and the error that
// most of them ended with. `events` may hold further ends.
std::string failures_text(const Book& book, const Sweep& sweep, const Events& events);

// Returns whether the sweep ends as failed after the failed run that `events` ends with.
bool reaches_failure_limit(const Book& book, const Sweep& sweep, const Events& events);

}  // namespace hone
