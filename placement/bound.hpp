// Lower bounds on the time of a step.
#pragma once

#include "placement/core/problem.hpp"

namespace hone::placement {

// The longest path through the tasks of a step, each on its fastest device, with free transfers.
double critical_path_ms(const Problem& problem);

// The largest of: the critical path; all work spread evenly; and the shortest step in which the
// work that must fall into each of its windows fits (Fernandez and Bussell, 1973). Ignores
// transfers and memory, so that the optimum may be above it.
double lower_bound_ms(const Problem& problem);

}  // namespace hone::placement
