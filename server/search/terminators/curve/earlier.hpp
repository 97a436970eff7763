// A nearest-rank percentile of the earlier reports of a phase: asha_stopping and percentile stop by
// it.
//
// Of n earlier reports, the ceil(share * n)-th from below is the bar; a run below it is among the
// worst `share`. There is no interpolation, so that only the order of values matters.
#pragma once

#include "server/search/terminators/rule_helpers.hpp"

namespace hone {

// Judges `merit` by the earlier reports of the phase. Records reports, no_better and bar (a count).
Verdict judge_by_share(const History& history, int phase, double merit, double share);
Action recompute_by_share(const std::vector<VerdictInput>& inputs);
// "TITLE stopped it: 2 of the 9 earlier reports of the phase were no better than WHAT, and ...".
std::string explain_by_share(const std::string& title, const std::string& what,
                             const Verdict& verdict);

}  // namespace hone
