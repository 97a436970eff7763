// The spaces of the problems (bench/search/problems.hpp).
#pragma once

#include "schemas/types/space.hpp"

namespace hone::bench {

Space branin_space();
Space hartmann3_space();
Space hartmann6_space();
Space ackley5_space();
Space levy4_space();
Space rosenbrock4_space();
Space mixed6_space();
Space cond_space();

}  // namespace hone::bench
