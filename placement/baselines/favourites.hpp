// The favourite child of each node: the consumer that should run on the same device.
#pragma once

#include <vector>

#include "placement/core/problem.hpp"

namespace hone::placement {

// -1 if a node has none. Each node is the favourite child of at most one node.
std::vector<int> favourite_children(const Problem& problem);

// The fraction to which each edge's consumer is its producer's favourite: the optimum of
//   minimise w,  s_i + p_i + c_ij (1 - y_ij) <= s_j,  s_i + p_i <= w,
//   the y of a node's children add up to at most 1, and so do those of its parents, 0 <= y <= 1,
// by a primal-dual gradient method (Chambolle and Pock, 2011), near enough for rounding.
std::vector<double> relaxed_favourites(const Problem& problem, int iterations);

}  // namespace hone::placement
