// mincut: moves groups one at a time between parts while that reduces the transfers between them,
// and keeps the parts within a tenth of equal work. Starts from the placement `expert`.
#include <algorithm>
#include <numeric>

#include "placement/baselines/baselines.hpp"
#include "placement/baselines/group_costs.hpp"
#include "placement/core/random_generator.hpp"

namespace hone::placement {
namespace {

constexpr double work_slack = 0.10;
constexpr int passes_max = 50;  // it converges in far fewer

struct Parts {
  std::vector<double> work;
  double most = 0;
};

// The transfer time that is saved if the group moves to the device.
double gain_of(const std::vector<Tie>& ties, const Placement& placement, int from, int to) {
  double gain = 0;
  for (const Tie& tie : ties) {
    const int there = placement[static_cast<std::size_t>(tie.group)];
    if (there == to) gain += tie.ms;
    if (there == from) gain -= tie.ms;
  }
  return gain;
}

}  // namespace

Result<Placement> place_mincut(const Problem& problem, std::uint64_t seed) {
  const auto work = work_of_groups(problem);
  const auto ties = ties_of_groups(problem);
  const auto devices = main_devices(problem);
  auto start = find_baseline("expert")->place(problem, seed);
  if (!start) return start;
  Placement placement = *std::move(start);
  Parts parts{std::vector<double>(static_cast<std::size_t>(problem.devices()), 0)};
  for (std::size_t g = 0; g < placement.size(); ++g)
    parts.work[static_cast<std::size_t>(placement[g])] += work[g];
  parts.most = (1 + work_slack) * std::accumulate(work.begin(), work.end(), 0.0) /
                   static_cast<double>(devices.size()) +
               *std::max_element(work.begin(), work.end()) / 2;
  bool changed = true;
  for (int pass = 0; changed && pass < passes_max; ++pass) {
    changed = false;
    for (std::size_t g = 0; g < placement.size(); ++g) {
      int best = placement[g];
      double best_gain = 0;
      for (const int to : devices) {
        if (to == placement[g] || parts.work[static_cast<std::size_t>(to)] + work[g] > parts.most)
          continue;
        const double gain = gain_of(ties[g], placement, placement[g], to);
        if (gain <= best_gain) continue;
        best_gain = gain;
        best = to;
      }
      if (best == placement[g]) continue;
      parts.work[static_cast<std::size_t>(placement[g])] -= work[g];
      parts.work[static_cast<std::size_t>(best)] += work[g];
      placement[g] = best;
      changed = true;
    }
  }
  respect_bars(problem, placement);
  return placement;
}

}  // namespace hone::placement
