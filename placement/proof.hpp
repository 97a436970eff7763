// Whether any placement could be faster than a given time: transfers counted, so that the answer is
// sharper than lower_bound_ms, and costs more.
#pragma once

#include "placement/core/problem.hpp"

namespace hone::placement {

enum class Verdict {
  impossible,  // no placement on these devices takes less
  open,        // not decided within the effort
};

struct ProofPlan {
  double goal_ms = 0;
  double effort = 3e9;  // pairs of tasks looked at before it gives up: some seconds
};

// Supposes a placement that takes less than the goal. An arc whose transfer would make the longest
// way through it too long must not be cut: its ends are one cluster, whose tasks run one after
// another. Two clusters whose joint work is too long must be apart. This is repeated until there is
// a contradiction or nothing follows; then both cases of a pair are supposed in turn.
Verdict prove(const Problem& problem, const ProofPlan& plan);

}  // namespace hone::placement
