// What the baselines know about a group: its work, its memory and its neighbours.
#pragma once

#include <vector>

#include "placement/core/problem.hpp"

namespace hone::placement {

// Milliseconds of a whole step on the first device that may run the group.
std::vector<double> work_of_groups(const Problem& problem);

// Bytes of each group; a shared weight counts for the group that uses it first.
std::vector<double> memory_with_weights(const Problem& problem);

// Groups in the topological order of their first nodes.
std::vector<int> groups_in_order(const Problem& problem);

// A neighbour of a group, and the milliseconds that transfers between the two would take.
struct Tie {
  int group = 0;
  double ms = 0;
};
std::vector<std::vector<Tie>> ties_of_groups(const Problem& problem);

// The devices to spread parts over: the accelerators, or all devices if there are only CPUs.
std::vector<int> main_devices(const Problem& problem);

// Moves each group that may not run on its device to the first device that may run it.
void respect_bars(const Problem& problem, Placement& placement);

}  // namespace hone::placement
