// A local model for smooth optima: a quadratic through the trials nearest to the best one, whose
// minimum within their distance is proposed, as in the trust-region methods of Powell (1994). The
// surrogate alone stops where its noise hides what is left to gain. The squares of the losses
// approach the tip of a cone, and a quadratic through all good trials the middle of a bowl with
// ripples.
#pragma once

#include <optional>

#include "server/search/samplers/tpe/evidence.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

// Up to six continuous parameters that are active at the best trial vary together. Of more the two,
// four or six that explain most of the losses do, while the others keep their values; or up to 32
// vary without products of two. Returns nullopt unless enough finished trials share the parameters
// that are not continuous, the quadratic explains 95 % of the variance of the losses near the best
// trial, or half of that of all, and its minimum is feasible and new. All distances are relative to
// those of the trials, so the steps become as small as the optimum needs.
std::optional<Point> propose_by_quadratic(const SearchSpace& space, const Evidence& evidence);

}  // namespace hone
