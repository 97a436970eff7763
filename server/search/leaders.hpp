// The trials that a sweep would bet on.
#pragma once

#include <cstddef>
#include <vector>

#include "server/search/terminator.hpp"

namespace hone {

// Up to `count` trials of this sweep with a result, best first: the one that the method names, then
// the others as the history ranks them.
std::vector<std::size_t> find_leaders(const History& history, const Terminator& terminator,
                                      std::size_t count);

}  // namespace hone
