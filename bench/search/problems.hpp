// The functions that `hone bench driver quality` minimizes: those of the published comparison of
// optimizers, without noise.
#pragma once

#include <span>
#include <string_view>

#include "schemas/types/space.hpp"

namespace hone::bench {

struct Problem {
  std::string_view name;
  Space (*space)();
  double (*loss)(const Params& params);  // of the active parameters
  double lowest;                         // the loss at its minimum
};

std::span<const Problem> problems();
const Problem* find_problem(std::string_view name);

// `dimensions` parameters in turn: float on a log scale, int, choice, float.
Space latency_space(int dimensions);
// The squared distances of its parameters, scaled to [0, 1], from 0.3.
double latency_loss(const Params& params);

}  // namespace hone::bench
