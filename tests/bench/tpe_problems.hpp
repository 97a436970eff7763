// Functions on which settings of `tpe` are compared, other than those of the published comparison:
// the defaults were chosen here, and only confirmed there.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/problem_space.hpp"

namespace hone::bench {

struct TpeProblem {
  std::string name;
  Space space;
  double (*loss)(Values values);  // infinite: the trial fails
  double lowest = 0;              // or a bound from below
  double noise = 0;               // standard deviation of what a trial reports beyond its loss
};

std::vector<TpeProblem> tpe_problems();
// Others, by which it was chosen only how often widths are fitted.
std::vector<TpeProblem> held_out_problems();

}  // namespace hone::bench
