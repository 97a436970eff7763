// Losses whose evaluation costs from 1 to 100 units of time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hone::bench {

struct CostProblem {
  std::string name;
  std::size_t size;  // dimensions; the last `choices` of them are choices of three
  double (*loss)(std::span<const double> point);  // about 0 at the optimum
  double (*log_cost)(std::span<const double> point);
  std::size_t choices = 0;
};

// The constants of search.cost were chosen on these.
std::vector<CostProblem> cost_problems();
// These were run once, at the end.
std::vector<CostProblem> cost_held_out();

}  // namespace hone::bench
