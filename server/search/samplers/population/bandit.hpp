// The explore step of population-based bandits (Parker-Holder, Nguyen and Roberts, "Provably
// Efficient Online Hyperparameter Optimization with Population-Based Bandits", NeurIPS 2020).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "schemas/types/value.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

// What a member gained between two of its ready points.
struct RewardChange {
  double time = 0;    // phases at the end
  double before = 0;  // merit at the beginning
  double gain = 0;    // merit for each phase
  Point point;        // of the parameters that it trained with
};

struct BanditData {
  std::vector<RewardChange> changes;  // in any order; all finite
  std::vector<Point> pending;         // of forks that have gained nothing yet, the oldest first
  double time = 0;                    // of the checkpoint that is continued
  double before = 0;                  // merit there
};

// Only so many of the newest changes are used: a fork then costs some tenths of a second of the
// engine at most. The authors' program takes at least 200, and more where their likelihood is
// larger.
inline constexpr std::size_t bandit_changes_max = 200;
inline constexpr std::size_t bandit_pending_max = 50;         // of them as well
inline constexpr std::ptrdiff_t bandit_parameters_max = 100;  // each lengthens every climb

// Orders the changes by time, and drops those beyond the newest bandit_changes_max.
void keep_newest(std::vector<RewardChange>& changes);

// Returns the parameters of a fork of a run with the parameters `of`: the numbers and ordered
// choices in `changeable` are where the upper confidence bound of a Gaussian process for the gain
// is largest; all other parameters stay. The process:
//
//   inputs  time and merit before, scaled to [0, 1] by their ranges, and the point
//   k       v exp(-r^2 / l) (1 - e)^(|t - t'| / 2), r over all inputs but time; v, l <= 1, e <= 1/2
//           and the noise maximize the likelihood
//   bound   mean + sqrt(b) deviation, b = 0.2 ln(0.4 n). Pending points count in the deviation as
//           if they had been observed
//
// Returns `of` while fewer than two changes are known, as its authors' program does, or if no
// maximum satisfies the constraints.
Params explore_by_bandit(const SearchSpace& space, const Params& of,
                         std::span<const std::string> changeable, BanditData data, Rng rng);

}  // namespace hone
