// What a proposal of cmaes costs: it is a function of the whole history, so that each folds every
// generation again, and the factor of a covariance matrix is cubic in the parameters.
#pragma once

#include "server/search/samplers/sampler.hpp"

namespace hone {

// Refuses a sweep whose last proposal would hold the engine too long.
// error.at is relative to the spec.
Status check_cmaes_cost(const SearchSpec& search, const SearchSpace& space);

}  // namespace hone
