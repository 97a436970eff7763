// What the members of a population gained so far, for the bandit of `pb2`.
#pragma once

#include "server/search/samplers/population/bandit.hpp"
#include "server/sweep/state/command.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

// Returns the gains between ready points, each with the parameters that caused it, for a fork that
// continues `origin`. The reports that a fork inherited count for the run that it continues.
BanditData bandit_data(const Book& book, const Sweep& sweep, const Origin& origin, int ready);

}  // namespace hone
