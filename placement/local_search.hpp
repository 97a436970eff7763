// Improves a placement by small changes.
#pragma once

#include <functional>

#include "placement/core/random_generator.hpp"
#include "placement/simulator.hpp"

namespace hone::placement {

struct Found {
  Placement placement;
  double cost_ms = 0;  // Cost::total_ms
};

struct LocalSearchPlan {
  int evaluations = 0;
  std::function<bool()> keep_going = [] { return true; };  // called every few hundred evaluations
};

// Simulated annealing: groups, connected clusters, users of a weight and stretches of the
// topological order change their device; a higher cost (Cost::total_ms) is accepted with a falling
// probability. The cost of a placement that does not fit grows with the memory it lacks.
// Returns the best placement seen, the start included.
Found improve(const Problem& problem, const Placement& start, const LocalSearchPlan& plan,
              RandomGenerator& generator);

}  // namespace hone::placement
