// The importance of parameters and of pairs of them: fANOVA over a forest grown on the trials.
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

// A share of the variance of the objective over the whole space: mean and standard deviation over
// the trees.
struct Effect {
  std::vector<std::size_t> dimensions;  // one, or two for their interaction
  double share = 0;
  double deviation = 0;
};

struct Importance {
  std::vector<Effect> effects;  // of single dimensions, then of pairs; each by falling share
  // The share of the variance among trials that out-of-bag predictions explain. If it is near or
  // below 0, the shares mean nothing.
  double explained = 0;
  std::size_t trees = 0;
  std::size_t trials = 0;  // that the forest was grown on
};

inline constexpr std::size_t importance_trials_min = 10;
// More trials are thinned evenly: they delay the answer, and the forest learns little from them.
inline constexpr std::size_t importance_trials_max = 2000;

// Refuses too few observations, and observations that are all equal.
Result<Importance> measure_importance(const SearchSpace& space,
                                      std::span<const Observation> observations,
                                      std::uint64_t seed);

}  // namespace hone
