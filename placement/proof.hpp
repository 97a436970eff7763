// Proves that no placement is faster than a given time. Counts transfers, so it is tighter than
// lower_bound_ms, and more expensive.
#pragma once

#include "placement/core/problem.hpp"

namespace hone::placement {

enum class Verdict {
  impossible,  // no placement on these devices takes less
  open,        // not decided within the effort
};

struct ProofPlan {
  double goal_ms = 0;
  double effort = 3e9;  // pairs of tasks visited before it gives up: some seconds
};

// Assumes a placement that takes less than the goal. An arc whose transfer would make the longest
// path through it too long must not be cut: its ends are one cluster, whose tasks run one after
// another. Two clusters whose joint work is too long must be on different devices. This is repeated
// until there is a contradiction or nothing follows; then both cases of a pair are assumed in turn.
Verdict prove(const Problem& problem, const ProofPlan& plan);

}  // namespace hone::placement
