// The part of the space in which a proposal is sought; mostly all of it. A model that saw a branch
// of the space (a choice, or a small int such as a number of layers) do badly under a few settings
// never returns to it, and one that has converged only refines. So some proposals are confined:
//   branch     to a value other than the best trial's in one dimension with few values: the one
//              with the least  place / values - 2 / sqrt(trials + 1),  an optimistic score, where
//              `place` counts the values that have a better best trial
//   elsewhere  away from the best trial, by 0.1 in root mean square over active dimensions
// The share of confined proposals grows while the last trials improve little.
#pragma once

#include <cstddef>
#include <span>

#include "server/search/samplers/tpe/evidence.hpp"
#include "server/search/samplers/tpe/settings.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

struct Focus {
  enum class Kind : std::uint8_t { everywhere, branch, elsewhere };
  Kind kind = Kind::everywhere;
  std::size_t dimension = 0;  // branch
  double coordinate = 0;      // branch: of the value in that dimension

  // Moves a point into the branch, if there is one. Settle the point afterwards.
  void confine(std::span<double> point) const {
    if (kind == Kind::branch) point[dimension] = coordinate;
  }
  [[nodiscard]] bool allows(const SearchSpace& space, std::span<const double> best,
                            std::span<const double> point) const;
};

Focus choose_focus(const SearchSpace& space, const Evidence& evidence, const TpeSettings& settings,
                   Rng& rng);

// Root mean square distance over the dimensions active in both points; infinite if a choice differs
// or if different dimensions are active.
double distance(const SearchSpace& space, std::span<const double> a, std::span<const double> b);

}  // namespace hone
