// The training set of TPE's surrogate: trials, their coordinates as columns, and their losses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/search/samplers/tpe/process.hpp"
#include "server/search/samplers/tpe/surrogate.hpp"

namespace hone {

struct TrainingSet {
  std::vector<std::uint32_t> trials;  // observed ones best first, then pending ones
  std::size_t observed = 0;
  std::vector<double> columns;       // imputed: see impute()
  std::vector<std::uint8_t> choice;  // by dimension
  std::vector<double> spreads;       // of the best trials, by dimension; the prior's is 1
  // (loss - best) / (median - best) of observed trials. Unfinished trials lie beyond the worst
  // finished one, in their order; if few finished, ranks count instead.
  std::vector<double> scaled;

  [[nodiscard]] PointColumns points() const { return {columns, trials.size()}; }
};

TrainingSet training_set(const SurrogateTask& task);

// Returns the coordinate that the process sees: for an inactive one the middle, or an extra choice.
double impute(const Dimension& dimension, double x);

// Standardized log(1 + k t) / k, and the log of the warp's Jacobian, which makes likelihoods under
// different k comparable.
struct WarpedLosses {
  std::vector<double> values;
  double log_jacobian = 0;
};
WarpedLosses warp(std::span<const double> scaled, double k);

}  // namespace hone
