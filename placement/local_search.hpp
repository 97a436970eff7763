// Betters a placement by small changes: the last step of a search that says so in its name.
#pragma once

#include <functional>

#include "placement/core/dice.hpp"
#include "placement/simulator.hpp"

namespace hone::placement {

struct Found {
  Placement placement;
  double step_ms = 0;
};

struct LocalSearchPlan {
  int evaluations = 0;
  std::function<bool()> keep_going = [] { return true; };  // asked now and then
};

// Simulated annealing: groups, connected clusters, users of a weight and stretches of the
// topological order change their device; a slower step is taken with a probability that falls. What
// does not fit counts the more the more it lacks. Returns the best placement seen, the start
// included.
Found improve(const Problem& problem, const Placement& start, const LocalSearchPlan& plan,
              Dice& dice);

}  // namespace hone::placement
