// What no placement can beat.
#pragma once

#include "placement/core/problem.hpp"

namespace hone::placement {

// The longest way through the tasks of a step, each at its fastest, transfers free.
double critical_path_ms(const Problem& problem);

// The best of: the critical path; all work spread evenly; and, for a step of a given length, the
// work that must fall into a window of it (Fernandez and Bussell, 1973). Transfers are free, memory
// is not looked at, so that the optimum may lie above it.
double lower_bound_ms(const Problem& problem);

}  // namespace hone::placement
