// What the baselines know of a group: its work, its memory and its neighbours.
#pragma once

#include <vector>

#include "placement/core/problem.hpp"

namespace hone::placement {

// Milliseconds of a whole step on the first device that may run it.
std::vector<double> work_of_groups(const Problem& problem);

// Bytes, each shared weight with the group that uses it first.
std::vector<double> memory_with_weights(const Problem& problem);

// Groups by the place of their first node in topological order.
std::vector<int> groups_in_order(const Problem& problem);

// Undirected, without repeats: milliseconds that a transfer between the two would take.
struct Tie {
  int group = 0;
  double ms = 0;
};
std::vector<std::vector<Tie>> ties_of_groups(const Problem& problem);

// The accelerators' numbers, or every device where a CPU is all there is: what parts are spread
// over.
std::vector<int> main_devices(const Problem& problem);

// A group that may not run where it was put goes to the first device that may run it.
void respect_bars(const Problem& problem, Placement& placement);

}  // namespace hone::placement
