#include "server/search/samplers/cmaes/state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

using Vector = std::vector<double>;

constexpr double sigma_max = 1;         // the whole range
constexpr double deviation_min = 1e-9;  // of a coordinate: below it, the search has converged
constexpr double pivot_min = 1e-14;     // keeps the factor real if rounding makes a pivot negative
constexpr double fitted_alpha = 0.1;    // least deviation of a fitted distribution (Nomura et al.)

double euclidean_norm(const Vector& x) {
  double sum = 0;
  for (const double one : x) sum += one * one;
  return std::sqrt(sum);
}

}  // namespace

CmaesState::CmaesState(Vector mean, double sigma)
    : size_(mean.size()),
      mean_(std::move(mean)),
      path_sigma_(size_, 0),
      path_c_(size_, 0),
      c_(size_ * size_, 0),
      sigma_(sigma) {
  for (std::size_t i = 0; i < size_; ++i) c_[i * size_ + i] = 1;
  factorize();
}

CmaesState CmaesState::fitted(std::span<const Vector> best) {
  const std::size_t size = best.front().size();
  const auto count = static_cast<double>(best.size());
  Vector mean(size, 0);
  for (const Vector& point : best)
    for (std::size_t i = 0; i < size; ++i) mean[i] += point[i] / count;
  CmaesState state(std::move(mean), fitted_alpha);
  double log_det = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      double& entry = state.c_[i * size + j];
      entry = i == j ? fitted_alpha * fitted_alpha : 0;
      for (const Vector& point : best)
        entry += (point[i] - state.mean_[i]) * (point[j] - state.mean_[j]) / count;
    }
  state.factorize();
  for (std::size_t i = 0; i < size; ++i) log_det += 2 * std::log(state.factor_[i * size + i]);
  if (size == 0) return state;
  state.sigma_ = std::min(std::exp(log_det / (2 * static_cast<double>(size))), sigma_max);
  for (double& entry : state.c_) entry /= state.sigma_ * state.sigma_;
  state.factorize();
  return state;
}

// (49)-(53): logarithmic weights of the better half.
CmaesState::Weights CmaesState::weights_of(std::size_t count) {
  Weights weights;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(count / 2, 1); ++i)
    weights.w.push_back(std::log((static_cast<double>(std::max<std::size_t>(count, 2)) + 1) / 2) -
                        std::log(static_cast<double>(i) + 1));
  for (const double one : weights.w) sum += one;
  for (double& one : weights.w) {
    one /= sum;
    squares += one * one;
  }
  weights.effective = 1 / squares;
  return weights;
}

void CmaesState::update(std::span<const Vector> points) {
  if (points.empty() || size_ == 0) return;
  const Weights weights = weights_of(points.size());
  const auto n = static_cast<double>(size_);
  const double mu = weights.effective;
  const double c_sigma = (mu + 2) / (n + mu + 5);  // (55)
  const double damping = 1 + c_sigma + 2 * std::max(0.0, std::sqrt((mu - 1) / (n + 1)) - 1);
  const double c_c = (4 + mu / n) / (n + 4 + 2 * mu / n);  // (56)
  const double c1 = 2 / ((n + 1.3) * (n + 1.3) + mu);      // (57)
  const double c_mu =
      std::min(1 - c1, 2 * (0.25 + mu + 1 / mu - 2) / ((n + 2) * (n + 2) + mu));  // (58)
  const double expected = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));

  std::vector<Vector> steps;
  for (std::size_t i = 0; i < weights.w.size(); ++i) steps.push_back(step_to(points[i]));
  const Vector step = mean_step(steps, weights);
  const Vector white = whitened(step);
  generations_ += 1;
  for (std::size_t i = 0; i < size_; ++i) {
    mean_[i] = std::clamp(mean_[i] + sigma_ * step[i], 0.0, 1.0);
    path_sigma_[i] =
        (1 - c_sigma) * path_sigma_[i] + std::sqrt(c_sigma * (2 - c_sigma) * mu) * white[i];
  }
  const double length =
      euclidean_norm(path_sigma_) / std::sqrt(1 - std::pow(1 - c_sigma, 2 * generations_));
  const bool moves = length < (1.4 + 2 / (n + 1)) * expected;  // h_sigma
  for (std::size_t i = 0; i < size_; ++i)
    path_c_[i] = (1 - c_c) * path_c_[i] + (moves ? std::sqrt(c_c * (2 - c_c) * mu) * step[i] : 0);
  adapt(steps, weights, c1, c_mu, moves ? 0 : c1 * c_c * (2 - c_c));
  sigma_ *=
      std::exp(std::min(1.0, c_sigma / damping * (euclidean_norm(path_sigma_) / expected - 1)));
  sigma_ = std::min(sigma_, sigma_max);
}

// (47): the rank-one and rank-mu updates. An unknown coordinate leaves its entries unchanged.
void CmaesState::adapt(std::span<const Vector> steps, const Weights& weights, double c1,
                       double c_mu, double stall) {
  const double keep = 1 + stall - c1 - c_mu;
  for (std::size_t i = 0; i < size_; ++i) {
    double* row = &c_[i * size_];
    const Vector old(row, row + i + 1);
    for (std::size_t j = 0; j <= i; ++j) row[j] = keep * old[j] + c1 * path_c_[i] * path_c_[j];
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const double share = c_mu * weights.w[k], x = share * steps[k][i];
      for (std::size_t j = 0; j <= i; ++j) {
        const double term = x * steps[k][j];
        row[j] += term == term ? term : share * old[j];
      }
    }
    for (std::size_t j = 0; j < i; ++j) c_[j * size_ + i] = row[j];
  }
  factorize();
}

// (x - mean) / sigma, with its whitened length bounded as for injected solutions (Hansen,
// "Injecting external solutions into CMA-ES", 2011), because points may be enqueued, reflected or
// snapped.
Vector CmaesState::step_to(const Vector& point) const {
  Vector step(size_);
  for (std::size_t i = 0; i < size_; ++i) step[i] = (point[i] - mean_[i]) / sigma_;
  const auto n = static_cast<double>(size_);
  const double longest = std::sqrt(n) + 2 * n / (n + 2);
  const double length = euclidean_norm(whitened(step));
  if (length > longest)
    for (double& one : step) one *= longest / length;
  return step;
}

// Solves factor * z = step; unknown coordinates count as 0.
Vector CmaesState::whitened(const Vector& step) const {
  Vector z(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    z[i] = std::isnan(step[i]) ? 0 : step[i];
    for (std::size_t j = 0; j < i; ++j) z[i] -= factor_[i * size_ + j] * z[j];
    z[i] /= factor_[i * size_ + i];
  }
  return z;
}

// (41): the weighted mean over the steps in which the coordinate is known.
Vector CmaesState::mean_step(std::span<const Vector> steps, const Weights& weights) const {
  Vector mean(size_, 0);
  for (std::size_t i = 0; i < size_; ++i) {
    double known = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (std::isnan(steps[k][i])) continue;
      mean[i] += weights.w[k] * steps[k][i];
      known += weights.w[k];
    }
    if (known > 0) mean[i] /= known;
  }
  return mean;
}

void CmaesState::factorize() {
  factor_.assign(size_ * size_, 0);
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = c_[i * size_ + j];
      for (std::size_t k = 0; k < j; ++k) rest -= factor_[i * size_ + k] * factor_[j * size_ + k];
      factor_[i * size_ + j] =
          i == j ? std::sqrt(std::max(rest, pivot_min)) : rest / factor_[j * size_ + j];
    }
}

bool CmaesState::converged() const {
  for (std::size_t i = 0; i < size_; ++i)
    if (deviation(i) > deviation_min) return false;
  return size_ > 0;
}

double CmaesState::deviation(std::size_t i) const {
  return sigma_ * std::sqrt(std::max(c_[i * size_ + i], 0.0));
}

Vector CmaesState::draw(Rng& rng) const {
  Vector z(size_), x = mean_;
  for (double& one : z) one = rng.normal();
  for (std::size_t i = 0; i < size_; ++i)
    for (std::size_t j = 0; j <= i; ++j) x[i] += sigma_ * factor_[i * size_ + j] * z[j];
  return x;
}

}  // namespace hone
