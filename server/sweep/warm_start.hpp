// What earlier sweeps teach a new one.
#pragma once

#include "base/result.hpp"
#include "server/sweep/state.hpp"

namespace hone {

// Refuses earlier sweeps that do not exist or pursue another objective.
Status check_warm_start(const Book& book, const SweepSpec& spec);

// Adds the trials of spec.search.warm_start to the history, in the order of the sweeps and their
// trials. A trial is mapped parameter by parameter, by name. It is left out where
//   - nothing is known of it yet,
//   - a free parameter of the new space has no value in it, or one outside the new domain (values
//   of
//     parameters that only the earlier sweep has are ignored: it is the objective that counts), or
//   - the result breaks a constraint of the new space.
// A trial that was stopped at phase p of P counts as stopped at the same share of the new phases.
// Returns how many trials fit.
std::size_t warm_start(const Book& book, const SweepSpec& spec, const SearchSpace& space,
                       History& history);

}  // namespace hone
