// A nearest-rank percentile of the reports that others made in a phase: what asha_stopping and
// percentile stop by.
//
// Of n earlier reports, the ceil(share * n)-th from below is the bar: who is below it is among the
// worst `share`. No interpolation, so that only the order of values matters.
#pragma once

#include "server/search/terminators/rows.hpp"

namespace hone {

// `merit` against the earlier reports of the phase. Records reports, no_better, bar (a count).
Verdict judge_by_share(const History& history, int phase, double merit, double share);
Action recompute_by_share(const std::vector<VerdictInput>& inputs);
// "TITLE stopped it: of 9 earlier reports of the phase 2 were no better than its ..., it needs 6".
std::string explain_by_share(const std::string& title, const std::string& what,
                             const Verdict& verdict);

}  // namespace hone
