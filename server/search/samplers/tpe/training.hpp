// What TPE's surrogate is fitted to: which trials, their coordinates as columns, their losses.
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
  // (loss - best) / (median - best) of observed trials. Those that did not finish lie beyond the
  // worst that did, in their order; where few did, it is places that count.
  std::vector<double> scaled;

  [[nodiscard]] PointColumns points() const { return {columns, trials.size()}; }
};

TrainingSet training_set(const SurrogateTask& task);

// An inactive coordinate as the process sees it: the middle, or a choice of its own.
double impute(const Dimension& dimension, double x);

// Standardized log(1 + k t) / k, and the log of the warp's derivative, which makes likelihoods
// under different k comparable.
struct WarpedLosses {
  std::vector<double> values;
  double log_jacobian = 0;
};
WarpedLosses warp(std::span<const double> scaled, double k);

}  // namespace hone
