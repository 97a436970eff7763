#include "server/search/samplers/tpe/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone {
namespace {

constexpr double repeat_distance_min = 1e-6;      // closer points repeat a trial
constexpr std::size_t pending_kernels_max = 256;  // kernels of pending trials: the latest
constexpr std::uint64_t shift_index = std::numeric_limits<std::uint64_t>::max();  // of no trial

std::vector<std::size_t> by_worth(std::span<const double> worth) {
  std::vector<std::size_t> by(worth.size());
  std::iota(by.begin(), by.end(), 0);
  std::stable_sort(by.begin(), by.end(),
                   [&](std::size_t a, std::size_t b) { return worth[a] > worth[b]; });
  return by;
}

// log((1 - share) e^a + share e^b).
double log_mixture(double a, double b, double share) {
  const double top = std::max(a, b);
  return top + std::log((1 - share) * std::exp(a - top) + share * std::exp(b - top));
}

// Draws and their worth: the log ratio of the densities, or an order.
struct Draws {
  std::vector<Point> points;
  std::vector<double> worth;
};

Draws joint_draws(const SearchSpace& space, const TpeDensities& densities, const Focus& focus,
                  std::size_t count, Rng& rng) {
  Draws draws;
  for (std::size_t i = 0; i < count; ++i) {
    Point point(space.dimensions().size());
    densities.good.draw(rng, true, point);
    focus.confine(point);
    space.settle(point);
    draws.worth.push_back(densities.log_ratio(point));
    draws.points.push_back(std::move(point));
  }
  return draws;
}

// Point i combines the i-th best coordinates of all dimensions.
Draws separate_draws(const SearchSpace& space, const TpeDensities& densities, const Focus& focus,
                     std::size_t count, Rng& rng) {
  const std::size_t size = space.dimensions().size();
  std::vector<Point> raw(count, Point(size));
  for (Point& point : raw) densities.good.draw(rng, false, point);
  Draws draws{std::vector<Point>(count, Point(size)), {}};
  for (std::size_t j = 0; j < size; ++j) {
    std::vector<double> worth;
    for (const Point& point : raw) worth.push_back(densities.log_ratio(j, point[j]));
    const auto by = by_worth(worth);
    for (std::size_t i = 0; i < count; ++i) draws.points[i][j] = raw[by[i]][j];
  }
  for (std::size_t i = 0; i < count; ++i) {
    focus.confine(draws.points[i]);
    space.settle(draws.points[i]);
    draws.worth.push_back(-static_cast<double>(i));
  }
  return draws;
}

// The root above 1 of x^(d + 1) = x + 1, by fixed-point iteration.
double generalized_golden_ratio(std::size_t dimensions) {
  double root = 2;
  for (int i = 0; i < 64; ++i) root = std::pow(1 + root, 1 / (static_cast<double>(dimensions) + 1));
  return root;
}

}  // namespace

TpeSplit::TpeSplit(const SearchSpace& space, const Evidence& evidence, const TpeSettings& settings)
    : space_(space), evidence_(evidence), settings_(settings) {
  const std::size_t n = evidence.order().size();
  const auto share = static_cast<std::size_t>(std::ceil(settings.gamma * static_cast<double>(n)));
  good_count_ = std::min({std::max<std::size_t>(share, 1), settings.good_max, n - 1});
}

ParzenEstimator TpeSplit::good(bool only_draws) const {
  std::vector<std::span<const double>> points;
  for (std::size_t i = 0; i < good_count_; ++i) points.push_back(evidence_.point(i));
  const std::vector<double> weights(points.size(), 1);
  return {space_,
          points,
          weights,
          {settings_.bandwidth, settings_.min_bandwidth, settings_.prior_weight, true, only_draws}};
}

ParzenEstimator TpeSplit::bad() const {
  const std::size_t all = evidence_.order().size() - good_count_;
  const std::size_t kept = std::min(all, settings_.bad_max);
  std::vector<std::span<const double>> points;
  for (std::size_t i = 0; i < kept; ++i)
    points.push_back(evidence_.point(good_count_ + (2 * i + 1) * all / (2 * kept)));
  const std::vector<double> weights(kept, static_cast<double>(all) / static_cast<double>(kept));
  return {space_,
          points,
          weights,
          {settings_.bandwidth, settings_.min_bandwidth, settings_.prior_weight, false, false}};
}

std::span<const std::uint32_t> TpeSplit::believed() const {
  const auto pending = evidence_.history().pending();
  return pending.last(settings_.liar ? std::min(pending.size(), pending_kernels_max) : 0);
}

std::optional<ParzenEstimator> TpeSplit::lies() const {
  std::vector<std::span<const double>> points;
  for (const std::uint32_t trial : believed()) points.push_back(evidence_.history().point(trial));
  if (points.empty()) return std::nullopt;
  const std::vector<double> weights(points.size(), 1);
  return ParzenEstimator(
      space_, points, weights,
      {settings_.bandwidth, settings_.min_bandwidth, settings_.prior_weight, true, false});
}

double TpeSplit::lies_share() const {
  const auto count = static_cast<double>(believed().size());
  return count / (count + static_cast<double>(evidence_.order().size() - good_count_));
}

bool TpeSplit::known(std::span<const double> point) const {
  const auto order = evidence_.order();
  const auto equals = [&](std::uint32_t trial) {
    return distance(space_, evidence_.history().point(trial), point) < repeat_distance_min;
  };
  const auto top = order.first(std::min(order.size(), settings_.good_max + settings_.bad_max));
  const auto pending = evidence_.history().pending();
  return std::any_of(top.begin(), top.end(), equals) ||
         std::any_of(pending.begin(), pending.end(), equals);
}

TpeDensities::TpeDensities(const TpeSplit& split)
    : good(split.good(false)),
      bad(split.bad()),
      lies(split.lies()),
      lies_share(split.lies_share()) {}

double TpeDensities::log_ratio(std::span<const double> point) const {
  const double against = bad.log_density(point);
  if (!lies) return good.log_density(point) - against;
  return good.log_density(point) - log_mixture(against, lies->log_density(point), lies_share);
}

double TpeDensities::log_ratio(std::size_t j, double x) const {
  const double against = bad.log_density(j, x);
  if (!lies) return good.log_density(j, x) - against;
  return good.log_density(j, x) - log_mixture(against, lies->log_density(j, x), lies_share);
}

std::optional<Point> propose_by_ratio(const SearchSpace& space, const TpeSplit& split,
                                      const TpeSettings& settings, const Focus& focus,
                                      const CostTerm& cost, Rng& rng) {
  const TpeDensities densities(split);
  const auto draw = settings.multivariate ? joint_draws : separate_draws;
  Draws draws = draw(space, densities, focus, settings.candidates, rng);
  for (std::size_t i = 0; i < draws.points.size(); ++i) draws.worth[i] -= cost.of(draws.points[i]);
  for (const std::size_t one : by_worth(draws.worth))
    if (space.feasible(draws.points[one]) && !split.known(draws.points[one]))
      return std::move(draws.points[one]);
  return std::nullopt;
}

Point start_point(const SearchSpace& space, const Draw& draw, Rng& rng) {
  const auto dimensions = space.dimensions();
  const double root = generalized_golden_ratio(dimensions.size());
  Rng shift(draw.seed, Purpose::propose, shift_index);
  Point point(dimensions.size());
  double step = 1;
  for (std::size_t j = 0; j < point.size(); ++j) {
    step /= root;
    const double at = shift.uniform() + step * static_cast<double>(draw.number + 1);
    point[j] = prior_coordinate(dimensions[j], at - std::floor(at));
  }
  space.settle(point);
  if (space.feasible(point)) return point;
  return random_point(space, rng);
}

}  // namespace hone
