// Which parameters matter, and which of them together: fANOVA over a forest grown on the trials.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

struct Observation {
  Point point;
  double value = 0;
};

// A share of the variance of the objective over the whole space, as the mean over the trees, and
// their standard deviation.
struct Effect {
  std::vector<std::size_t> dimensions;  // one, or two for what they do together and neither alone
  double share = 0;
  double deviation = 0;
};

struct Importance {
  std::vector<Effect> effects;  // of single dimensions, then of pairs; each by falling share
  // Of the variance among trials, what the forest foretells of those that a tree was not grown on.
  // Near or below 0, the shares mean nothing.
  double explained = 0;
  std::size_t trees = 0;
  std::size_t trials = 0;  // that the forest was grown on
};

inline constexpr std::size_t importance_trials_min = 10;
// More are thinned evenly: a reader waits for the answer, and the forest learns little from them.
inline constexpr std::size_t importance_trials_max = 2000;

// Refuses too few observations, and those that are all alike.
Result<Importance> measure_importance(const SearchSpace& space,
                                      std::span<const Observation> observations,
                                      std::uint64_t seed);

}  // namespace hone
