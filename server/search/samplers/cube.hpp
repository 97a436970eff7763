// From the unit cube, in which the user's prior is uniform, to points of a space.
#pragma once

#include <span>

#include "server/search/space/search_space.hpp"

namespace hone {

// The settled point at `units`, one number in [0, 1] for every dimension: choices take the value
// whose stretch of prior weights the number falls in.
Point point_in(const SearchSpace& space, std::span<const double> units);

}  // namespace hone
