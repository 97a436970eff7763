// Functions on which the name that a noisy sweep gives is compared with the best set that it tried
// (docs/measurements/names.md). What a trial reports is not its loss: the truth is known.
#pragma once

#include <string>
#include <vector>

#include "base/rng.hpp"
#include "tests/bench/problem_space.hpp"

namespace hone::bench {

struct NamesProblem {
  std::string name;
  Space space;
  double (*loss)(Values values);              // true; infinite: the trial fails
  double (*report)(Values values, Rng& rng);  // one run's
};

// On which the estimator was developed.
std::vector<NamesProblem> names_problems();
// Looked at once, when it was done.
std::vector<NamesProblem> unseen_names_problems();
// Without noise, but so rough that a smooth model could take it for noise.
std::vector<NamesProblem> rough_names_problems();

}  // namespace hone::bench
