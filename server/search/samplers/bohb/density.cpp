#include "server/search/samplers/bohb/density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hone {
namespace {

constexpr double normal_factor = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
constexpr double min_bandwidth = 1e-3;  // of the authors' program
constexpr int draws_max = 1'000;        // of one coordinate until it lies in [0, 1]

double draw_within(double middle, double deviation, Rng& rng) {
  for (int i = 0; i < draws_max; ++i) {
    const double x = middle + deviation * rng.normal();
    if (x >= 0 && x <= 1) return x;
  }
  return rng.uniform();
}

}  // namespace

BohbDensity::BohbDensity(const SearchSpace& space, std::vector<Point> points, Rng& rng)
    : space_(space), points_(std::move(points)) {
  fill_gaps(rng);
  for (std::size_t j = 0; j < space.dimensions().size(); ++j) bandwidths_.push_back(bandwidth(j));
}

void BohbDensity::fill_gaps(Rng& rng) {
  for (std::size_t j = 0; j < space_.dimensions().size(); ++j) {
    std::vector<double> known;
    for (const Point& point : points_)
      if (!std::isnan(point[j])) known.push_back(point[j]);
    for (Point& point : points_)
      if (std::isnan(point[j]))
        point[j] = known.empty() ? prior_coordinate(space_.dimensions()[j], rng.uniform())
                                 : known[rng.below(known.size())];
  }
}

double BohbDensity::bandwidth(std::size_t dimension) const {
  const auto n = static_cast<double>(points_.size());
  double mean = 0, squares = 0;
  for (const Point& point : points_) mean += point[dimension] / n;
  for (const Point& point : points_)
    squares += (point[dimension] - mean) * (point[dimension] - mean) / n;
  const auto dimensions = static_cast<double>(space_.dimensions().size());
  const double width =
      std::max(min_bandwidth, 1.06 * std::sqrt(squares) * std::pow(n, -1 / (4 + dimensions)));
  const Dimension& one = space_.dimensions()[dimension];
  if (one.kind != Dimension::Kind::choice) return width;
  const auto values = static_cast<double>(one.weights.size());
  return std::min(width, (values - 1) / values);
}

double BohbDensity::kernel(std::size_t dimension, double x, double middle) const {
  const double width = bandwidths_[dimension];
  const Dimension& one = space_.dimensions()[dimension];
  if (one.kind == Dimension::Kind::choice) {
    if (x == middle) return 1 - width;
    return width / static_cast<double>(one.weights.size() - 1);
  }
  const double z = (x - middle) / width;
  return normal_factor * std::exp(-0.5 * z * z) / width;
}

double BohbDensity::at(std::span<const double> point) const {
  double sum = 0;
  for (const Point& middle : points_) {
    double product = 1;
    for (std::size_t j = 0; j < point.size(); ++j)
      if (!std::isnan(point[j])) product *= kernel(j, point[j], middle[j]);
    sum += product;
  }
  return sum / static_cast<double>(points_.size());
}

Point BohbDensity::draw(double widen, Rng& rng) const {
  Point point = points_[rng.below(points_.size())];
  for (std::size_t j = 0; j < point.size(); ++j) {
    const Dimension& one = space_.dimensions()[j];
    if (one.kind != Dimension::Kind::choice)
      point[j] = draw_within(point[j], widen * bandwidths_[j], rng);
    else if (rng.uniform() < bandwidths_[j])  // the authors do not widen choices
      point[j] = static_cast<double>(rng.below(one.weights.size()));
  }
  return point;
}

}  // namespace hone
