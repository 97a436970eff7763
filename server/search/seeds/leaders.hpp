// The trials that a sweep would bet on.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "server/search/terminators/terminator.hpp"

namespace hone {

// Up to `count` trials of this sweep with a result, best first: the one that the method names, then
// the others as the history ranks them.
std::vector<std::size_t> find_leaders(const History& history, const Terminator& terminator,
                                      std::size_t count);

// Of every trial, by index: what is expected of it, were it trained again. Its aggregate, shrunk
// towards the mean of all by how much of what is seen is noise (terminators/race.hpp). nullopt
// where it did not come far enough to be compared.
std::vector<std::optional<double>> expectations_of(const History& history);

}  // namespace hone
