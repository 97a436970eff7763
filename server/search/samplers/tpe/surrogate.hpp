// The surrogate of `tpe`: a Gaussian process on a bounded number of trials predicts losses, and the
// candidate with the greatest expected improvement (Jones et al., 1998) is proposed.
//
//   trials      the best ones, and others evenly by rank; with a focus, the best that it allows
//   losses      warped to log(1 + k t) / k with t = (loss - best) / (median - best); k = 0: as is
//   kernel      its widths follow the spread of the best trials to a power. The widths' scale, that
//               power, the noise and k are drawn several times, and one draw is chosen by its
//               tempered likelihood, so that the proposals of a sweep differ in how far they trust
//               a fit; half of the time the widths are fitted from there (fits.hpp)
//   candidates  from the Parzen density of the good trials, from steps around the best trials, from
//               their differences and from the prior; the best few are then refined
#pragma once

#include <optional>

#include "server/search/samplers/tpe/cost.hpp"
#include "server/search/samplers/tpe/focus.hpp"
#include "server/search/samplers/tpe/parzen.hpp"

namespace hone {

struct SurrogateTask {
  const SearchSpace& space;
  const Evidence& evidence;
  const TpeSettings& settings;
  const Focus& focus;
  const ParzenEstimator& good;
  CostTerm cost{};
};

// Returns nullopt if no candidate is feasible and new, or if no process could be fitted.
std::optional<Point> propose_by_surrogate(const SurrogateTask& task, Rng& rng);

// Returns log E[max(0, best - L)] - log(deviation) for a normal loss L, where
// z = (best - mean) / deviation.
double log_expected_improvement(double z);

}  // namespace hone
