#include "server/search/samplers/tpe/parzen.hpp"

#include <algorithm>
#include <cmath>

#include "base/expect.hpp"
#include "server/search/samplers/tpe/exp.hpp"
#include "server/search/space/space.hpp"

namespace hone {
namespace {

constexpr double choice_bandwidth = 0.3;  // of one kernel; chosen by measurement

double log_sum_exp(std::span<double> terms) {
  double top = terms[0];
  for (const double term : terms) top = std::max(top, term);
  for (double& term : terms) term = fast_exp(term - top);
  double sum = 0;
  for (const double term : terms) sum += term;
  return top + std::log(sum);
}

// A normal draw around `middle`, truncated to [0, 1]. Middles lie inside, so that at least about 40
// % of the draws are accepted.
double truncated_normal(Rng& rng, double middle, double spread) {
  for (int tries = 0; tries < 100; ++tries) {
    const double x = middle + spread * rng.normal();
    if (x >= 0 && x <= 1) return x;
  }
  return middle;
}

}  // namespace

ParzenEstimator::ParzenEstimator(const SearchSpace& space,
                                 std::span<const std::span<const double>> points,
                                 std::span<const double> weights, const ParzenOptions& options)
    : space_(space), kernels_(points.size() + 1) {
  expect(points.size() == weights.size(), "every kernel has a weight");
  const std::size_t size = space.dimensions().size();
  middles_.assign(size * kernels_, inactive);
  masses_.assign(size * kernels_, 0);
  weights_.assign(weights.begin(), weights.end());
  weights_.push_back(options.prior_weight);
  double sum = 0;
  for (const double weight : weights_) sum += weight;
  for (double& weight : weights_) weight /= sum;
  for (const double weight : weights_) log_weights_.push_back(std::log(weight));
  joint_ = log_weights_;
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t k = 0; k < points.size(); ++k) middles_[j * kernels_ + k] = points[k][j];
    bandwidths_.push_back(bandwidth(j, options));
    if (space.dimensions()[j].kind == Dimension::Kind::choice || options.only_draws) continue;
    for (std::size_t k = 0; k < points.size(); ++k) {
      masses_[j * kernels_ + k] = log_mass(j, points[k][j]);
      joint_[k] -= masses_[j * kernels_ + k];
    }
  }
}

double ParzenEstimator::bandwidth(std::size_t j, const ParzenOptions& options) const {
  const Dimension& dimension = space_.dimensions()[j];
  const std::span middles = std::span(middles_).subspan(j * kernels_, kernels_ - 1);
  double count = 0, sum = 0, squares = 0;
  for (const double x : middles) {
    if (std::isnan(x)) continue;
    count += 1;
    sum += x;
    squares += x * x;
  }
  const double n = std::max(count, 1.0);
  if (dimension.kind == Dimension::Kind::choice) return choice_bandwidth * std::pow(n, -0.2);
  double ratio = 1;
  if (options.adaptive) {
    const double scatter = std::max(squares - sum * sum / n, 0.0);
    ratio = std::sqrt((scatter / uniform_variance + options.prior_weight) /
                      (count + options.prior_weight));
  }
  const double size = static_cast<double>(space_.dimensions().size());
  const double least = dimension.levels == 0 ? 0 : 0.5 / static_cast<double>(dimension.levels);
  return std::max(
      {options.bandwidth * ratio * std::pow(n, -1 / (size + 4)), least, options.min_bandwidth});
}

double ParzenEstimator::log_mass(std::size_t j, double middle) const {
  if (std::isnan(middle)) return 0;
  const double spread = bandwidths_[j];
  const double mass = normal_cdf((1 - middle) / spread) - normal_cdf(-middle / spread);
  return std::log(spread * mass) + log_sqrt_two_pi;
}

void ParzenEstimator::add_terms(std::size_t j, double x, std::span<double> terms) const {
  const double* middles = &middles_[j * kernels_];
  const double b = bandwidths_[j];
  const Dimension& dimension = space_.dimensions()[j];
  if (dimension.kind != Dimension::Kind::choice) {
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const double z = (x - middles[k]) / b;
      terms[k] -= z == z ? 0.5 * z * z : 0;  // the prior's density is 1
    }
    return;
  }
  const double prior = dimension.weights[static_cast<std::size_t>(x)];
  const double same = std::log(1 - b + b * prior), other = std::log(b * prior);
  const double unknown = std::log(prior);
  for (std::size_t k = 0; k < terms.size(); ++k)
    terms[k] += std::isnan(middles[k]) ? unknown : middles[k] == x ? same : other;
}

double ParzenEstimator::log_density(std::span<const double> point) const {
  std::vector<double> terms = joint_;
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (!std::isnan(point[j])) {
      add_terms(j, point[j], terms);
    } else {  // no factor: take back what joint_ holds of this dimension
      for (std::size_t k = 0; k < kernels_; ++k) terms[k] += masses_[j * kernels_ + k];
    }
  }
  return log_sum_exp(terms);
}

double ParzenEstimator::log_density(std::size_t dimension, double coordinate) const {
  std::vector<double> terms = log_weights_;
  for (std::size_t k = 0; k < kernels_; ++k) terms[k] -= masses_[dimension * kernels_ + k];
  add_terms(dimension, coordinate, terms);
  return log_sum_exp(terms);
}

std::size_t ParzenEstimator::draw_kernel(Rng& rng) const {
  double left = rng.uniform();
  std::size_t kernel = 0;
  while (kernel + 1 < kernels_ && left >= weights_[kernel]) left -= weights_[kernel++];
  return kernel;
}

double ParzenEstimator::draw_coordinate(Rng& rng, std::size_t j, std::size_t kernel) const {
  const Dimension& dimension = space_.dimensions()[j];
  const double middle = middles_[j * kernels_ + kernel];
  if (std::isnan(middle)) return prior_coordinate(dimension, rng.uniform());
  if (dimension.kind != Dimension::Kind::choice)
    return truncated_normal(rng, middle, bandwidths_[j]);
  return rng.uniform() < bandwidths_[j] ? prior_coordinate(dimension, rng.uniform()) : middle;
}

void ParzenEstimator::draw(Rng& rng, bool multivariate, std::span<double> point) const {
  const std::size_t shared = draw_kernel(rng);
  for (std::size_t j = 0; j < point.size(); ++j)
    point[j] = draw_coordinate(rng, j, multivariate ? shared : draw_kernel(rng));
}

}  // namespace hone
