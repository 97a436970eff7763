#include "server/api/sweeps/front.hpp"

#include <algorithm>
#include <limits>

namespace hone::api {

std::vector<PricedTrial> front_by_cost(std::vector<PricedTrial> trials,
                                       std::optional<double> within) {
  std::stable_sort(trials.begin(), trials.end(), [](const PricedTrial& a, const PricedTrial& b) {
    return a.seconds < b.seconds || (a.seconds == b.seconds && a.merit > b.merit);
  });
  double best = -std::numeric_limits<double>::infinity();
  std::vector<PricedTrial> front;
  for (const PricedTrial& one : trials) {
    if (within && one.seconds > *within) break;
    if (one.merit <= best) continue;
    best = one.merit;
    front.push_back(one);
  }
  return front;
}

}  // namespace hone::api
