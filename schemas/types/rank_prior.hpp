// What earlier sweeps showed about early ranks: measured when a sweep with search.warm_start is
// submitted, and kept in that event.
#pragma once

#include <cstddef>
#include <vector>

namespace hone {

// Of ranks at one point of a run with those at its end: Kendall's tau over pairs of runs.
struct RankAgreement {
  double tau = 0;    // in [-1, 1]
  double error = 0;  // its standard error
  friend bool operator==(const RankAgreement&, const RankAgreement&) = default;
};

// After 1/10, 2/10, ... 9/10 of a run.
inline constexpr std::size_t rank_prior_tenths = 9;

struct RankPrior {
  int runs = 0;                         // complete ones, of which it was measured
  std::vector<RankAgreement> tenths{};  // rank_prior_tenths
  friend bool operator==(const RankPrior&, const RankPrior&) = default;
};

}  // namespace hone
