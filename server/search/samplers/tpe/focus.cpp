#include "server/search/samplers/tpe/focus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace hone {
namespace {

constexpr std::int64_t small_grid = 4;        // a grid of at most so many values counts as branches
constexpr std::int64_t branches_max = 64;     // a choice among more values has no branches
constexpr double stale_share_choice = 0.5;    // share of confined proposals while nothing improves
constexpr double stale_share_plain = 0.25;    // the same in spaces without branches
constexpr double stale_improvement = 0.01;    // of the gap between the best and the median trial
constexpr double elsewhere_share = 0.3;       // of the confined proposals in spaces with branches
constexpr double elsewhere_distance = 0.1;    // root mean square distance from the best trial
constexpr double optimism = 2;                // weight of a branch's uncertainty
constexpr double tie_noise = 0.02;            // breaks ties between branches at random
constexpr std::size_t read_one_by_one = 512;  // ranks that are all read; further ones in strides

bool has_branches(const Dimension& dimension) {
  return dimension.kind == Dimension::Kind::choice
             ? dimension.levels > 1 && dimension.levels <= branches_max
             : dimension.levels > 1 && dimension.levels <= small_grid;
}

std::vector<double> branch_coordinates(const SearchSpace& space, std::size_t j) {
  const Dimension& dimension = space.dimensions()[j];
  std::vector<double> coordinates;
  double low = 0;
  for (std::int64_t i = 0; i < dimension.levels; ++i) {
    if (dimension.kind == Dimension::Kind::choice) {
      coordinates.push_back(static_cast<double>(i));
      continue;
    }
    const Cell cell = space.cell(j, std::min(low + 1e-9, 1.0));
    coordinates.push_back(cell.middle());
    low = cell.high;
  }
  return coordinates;
}

std::size_t nearest_branch(std::span<const double> coordinates, double x) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < coordinates.size(); ++i)
    if (std::abs(coordinates[i] - x) < std::abs(coordinates[best] - x)) best = i;
  return best;
}

// How often each branch of a dimension was tried, and how many branches have a better best trial.
struct BranchCounts {
  std::vector<double> trials;
  std::vector<double> place;
};

BranchCounts count_branches(const Evidence& evidence, std::size_t j,
                            std::span<const double> coordinates) {
  BranchCounts result{std::vector<double>(coordinates.size(), 0),
                      std::vector<double>(coordinates.size(), -1)};
  const std::size_t n = evidence.order().size();
  const std::size_t stride =
      1 + (n > read_one_by_one ? (n - read_one_by_one) / read_one_by_one : 0);
  double next = 0;
  for (std::size_t i = 0; i < n; i += i < read_one_by_one ? 1 : stride) {
    const double x = evidence.point(i)[j];
    if (std::isnan(x)) continue;
    const std::size_t branch = nearest_branch(coordinates, x);
    if (result.place[branch] < 0) result.place[branch] = next++;
    result.trials[branch] += i < read_one_by_one ? 1 : static_cast<double>(stride);
  }
  for (const std::uint32_t trial : evidence.history().pending()) {
    const double x = evidence.history().point(trial)[j];
    if (!std::isnan(x)) result.trials[nearest_branch(coordinates, x)] += 1;
  }
  return result;
}

std::optional<Focus> choose_branch(const SearchSpace& space, const Evidence& evidence, Rng& rng) {
  std::optional<Focus> chosen;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < space.dimensions().size(); ++j) {
    const double best = evidence.point(0)[j];
    if (!has_branches(space.dimensions()[j]) || std::isnan(best)) continue;
    const auto coordinates = branch_coordinates(space, j);
    const BranchCounts seen = count_branches(evidence, j, coordinates);
    const std::size_t own = nearest_branch(coordinates, best);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (i == own) continue;
      const double place = std::max(seen.place[i], 0.0) / static_cast<double>(coordinates.size());
      const double score =
          place - optimism / std::sqrt(seen.trials[i] + 1) + tie_noise * rng.uniform();
      if (score >= least) continue;
      least = score;
      chosen = Focus{Focus::Kind::branch, j, coordinates[i]};
    }
  }
  return chosen;
}

// Whether the last trials (10, and one for each dimension) improved the best loss by less than a
// hundredth of the gap between the best and the median.
bool stale(const SearchSpace& space, const Evidence& evidence) {
  const History& history = evidence.history();
  const auto order = evidence.order();
  const std::size_t recent = 10 + space.dimensions().size();
  if (history.objectives() > 1 || order.size() <= 2 * recent) return false;
  const std::size_t skipped = recent + history.pending().size();
  if (history.trials().size() <= skipped) return false;
  const std::size_t since = history.trials().size() - skipped;
  std::size_t i = 0;
  while (i < order.size() && order[i] >= since) ++i;
  if (i == order.size()) return false;
  const double now = evidence.loss(order[0]);
  const double gained = evidence.loss(order[i]) - now;
  const double range = evidence.loss(order[order.size() / 2]) - now;
  return gained <= stale_improvement * range;
}

}  // namespace

double distance(const SearchSpace& space, std::span<const double> a, std::span<const double> b) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double squares = 0, count = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (std::isnan(a[j]) != std::isnan(b[j])) return infinite;
    if (std::isnan(a[j])) continue;
    if (space.dimensions()[j].kind == Dimension::Kind::choice && a[j] != b[j]) return infinite;
    squares += (a[j] - b[j]) * (a[j] - b[j]);
    count += 1;
  }
  return std::sqrt(squares / std::max(count, 1.0));
}

bool Focus::allows(const SearchSpace& space, std::span<const double> best,
                   std::span<const double> point) const {
  switch (kind) {
    case Kind::everywhere:
      return true;
    case Kind::branch:
      return std::abs(point[dimension] - coordinate) < 1e-9;  // not so where it is NaN
    case Kind::elsewhere:
      return distance(space, best, point) > elsewhere_distance;
  }
  return true;
}

Focus choose_focus(const SearchSpace& space, const Evidence& evidence, const TpeSettings& settings,
                   Rng& rng) {
  if (settings.explore == 0) return {};
  const auto dimensions = space.dimensions();
  const bool branches = std::any_of(dimensions.begin(), dimensions.end(), has_branches);
  double share = branches ? settings.explore : 0;
  if (stale(space, evidence))
    share = std::max(share, branches ? stale_share_choice : stale_share_plain);
  if (rng.uniform() >= share) return {};
  if (branches && rng.uniform() >= elsewhere_share)
    if (const auto branch = choose_branch(space, evidence, rng)) return *branch;
  return {Focus::Kind::elsewhere, 0, 0};
}

}  // namespace hone
