// The surrogate of `tpe`: a Gaussian process on a bounded number of trials predicts losses, and the
// candidate of the greatest expected improvement (Jones et al., 1998) is proposed.
//
// Trials: the best ones, and others evenly by rank; the best of the focus where there is one.
// Losses are warped to log(1 + k t) / k with t = (loss - best) / (median - best), or left as they
// are (k = 0). The kernel's widths follow the spread of the best trials to a power; the width's
// scale, that power, the noise and k are drawn several times, and one draw is chosen by its
// likelihood, tempered, so that proposals of a sweep differ in how far they trust a fit. Candidates
// come from the good trials' Parzen density, from steps around the best trials, from their
// differences and from the prior; the best few are then refined.
#pragma once

#include <optional>

#include "server/search/samplers/tpe/focus.hpp"
#include "server/search/samplers/tpe/parzen.hpp"

namespace hone {

struct SurrogateTask {
  const SearchSpace& space;
  const Evidence& evidence;
  const TpeSettings& settings;
  const Focus& focus;
  const ParzenEstimator& good;
};

// nullopt where no candidate is feasible and new, or nothing could be fitted.
std::optional<Point> propose_by_surrogate(const SurrogateTask& task, Rng& rng);

// log E[max(0, best - L)] for a normal loss L, less the log of its standard deviation;
// z = (best - mean) / standard deviation.
double log_expected_improvement(double z);

}  // namespace hone
