// The amounts of a sweep before it is submitted. Never used for decisions.
#pragma once

#include "schemas/types/sweep_plan.hpp"

namespace hone {

struct SweepSpec;

// measured: phases that runs of an earlier sweep of this training took; 0: unknown, and the rule is
// simulated, or its closed form taken.
SweepPlan plan_sweep(const SweepSpec& spec, double measured = 0);

}  // namespace hone
