#include "server/search/samplers/tpe/process.hpp"

#include <algorithm>
#include <cmath>

#include "server/search/samplers/tpe/exp.hpp"

namespace hone {
namespace {

constexpr double process_pivot_min = 1e-12;  // a smaller one means that the covariance is singular
constexpr double share_min = 1e-10;          // of the prior variance that a prediction keeps
constexpr double variance_min = 1e-12;       // of the process, for losses that are all equal

// Squared distances to correlations, in place.
template <class Real>
void correlate(Real* squares, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) squares[i] = std::sqrt(5 * squares[i]);
  for (std::size_t i = 0; i < size; ++i) {
    const Real r = squares[i];
    squares[i] = (1 + r + r * r * (Real{1} / 3)) * fast_exp(-r);
  }
}

// squares[i] += the weighted distance between xs[i] and y in one dimension.
template <class Real>
void add_squares(const Real* __restrict xs, std::size_t size, Real y, Real weight,
                 Real* __restrict squares) {
  for (std::size_t i = 0; i < size; ++i) {
    const Real gap = xs[i] - y;
    squares[i] += weight * gap * gap;
  }
}

template <class Real>
void add_mismatches(const Real* __restrict xs, std::size_t size, Real y, Real weight,
                    Real* __restrict squares) {
  for (std::size_t i = 0; i < size; ++i) squares[i] += xs[i] == y ? 0 : weight;
}

template <class Real>
void subtract_scaled(Real* __restrict row, const Real* __restrict other, Real factor,
                     std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) row[i] -= factor * other[i];
}

}  // namespace

GaussianProcess::GaussianProcess(PointColumns points, std::span<const std::uint8_t> choice)
    : points_(points), choice_(choice) {}

bool GaussianProcess::fit(const ProcessShape& shape, std::span<const double> values) {
  shape_ = shape;
  const std::size_t m = points_.count;
  upper_.assign(m * m, 0);
  for (std::size_t i = 0; i < m; ++i) {  // the upper triangle, row by row
    double* row = &upper_[i * m + i];
    for (std::size_t j = 0; j < choice_.size(); ++j) {
      const double* column = points_.column(j);
      const auto add = choice_[j] != 0 ? add_mismatches<double> : add_squares<double>;
      add(column + i, m - i, column[i], shape_.weights[j], row);
    }
    correlate(row, m - i);
    row[0] += shape_.noise;
  }
  if (!factor()) return false;
  estimate(values);
  return true;
}

bool GaussianProcess::factor() {
  const std::size_t m = points_.count;
  for (std::size_t k = 0; k < m; ++k) {
    double* pivot = &upper_[k * m];
    if (!(pivot[k] > process_pivot_min)) return false;
    const double scale = 1 / std::sqrt(pivot[k]);
    for (std::size_t i = k; i < m; ++i) pivot[i] *= scale;
    for (std::size_t i = k + 1; i < m; ++i)
      subtract_scaled(&upper_[i * m + i], pivot + i, pivot[i], m - i);
  }
  return true;
}

// The observed points come first, so their factor is the leading block of the whole one.
void GaussianProcess::estimate(std::span<const double> values) {
  const std::size_t m = points_.count, n = values.size();
  std::vector<double> a(values.begin(), values.end()), b(n, 1.0);
  double log_det = 0, ab = 0, bb = 0, square = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double* row = &upper_[k * m];
    a[k] /= row[k];
    b[k] /= row[k];
    subtract_scaled(&a[k] + 1, row + k + 1, a[k], n - k - 1);
    subtract_scaled(&b[k] + 1, row + k + 1, b[k], n - k - 1);
    log_det += std::log(row[k]);
    ab += a[k] * b[k];
    bb += b[k] * b[k];
  }
  mean_ = ab / bb;
  for (std::size_t k = 0; k < n; ++k) {
    a[k] -= mean_ * b[k];
    square += a[k] * a[k];
  }
  const auto count = static_cast<double>(n);
  variance_ = std::max(square / count, variance_min);
  log_likelihood_ = -0.5 * count * std::log(variance_) - log_det;
  for (std::size_t k = n; k-- > 0;) {
    const double* row = &upper_[k * m];
    for (std::size_t i = k + 1; i < n; ++i) a[k] -= row[i] * a[i];
    a[k] /= row[k];
  }
  alpha_ = std::move(a);
  means_.resize(n);
  for (std::size_t k = 0; k < n; ++k) means_[k] = values[k] - shape_.noise * alpha_[k];
}

// (covariance / v)^-1, of which only the upper triangle is meant, row by row.
std::vector<double> GaussianProcess::inverse() const {
  const std::size_t m = points_.count;
  std::vector<double> lower(m * m, 0), result(m * m, 0);  // lower: U^-T, row by row
  for (std::size_t k = 0; k < m; ++k) {
    double* row = &lower[k * m];
    row[k] = 1;
    for (std::size_t i = 0; i < k; ++i)
      subtract_scaled(row, &lower[i * m], upper_[i * m + k], i + 1);
    for (std::size_t i = 0; i <= k; ++i) row[i] /= upper_[k * m + k];
  }
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t i = 0; i <= k; ++i)
      subtract_scaled(&result[i * m + i], &lower[k * m + i], -lower[k * m + i], k + 1 - i);
  return result;
}

std::vector<double> GaussianProcess::slopes() const {
  const std::size_t m = points_.count;
  const std::vector<double> inverse = this->inverse();
  std::vector<double> result(choice_.size(), 0), squares(m), gaps(m * choice_.size());
  for (std::size_t i = 0; i + 1 < m; ++i) {
    const std::size_t size = m - i - 1;
    std::fill(squares.begin(), squares.end(), 0);
    for (std::size_t j = 0; j < choice_.size(); ++j) {
      const double* column = points_.column(j);
      const auto add = choice_[j] != 0 ? add_mismatches<double> : add_squares<double>;
      double* gap = &gaps[j * m];
      std::fill_n(gap, size, 0);
      add(column + i + 1, size, column[i], shape_.weights[j], gap);
      for (std::size_t k = 0; k < size; ++k) squares[k] += gap[k];
    }
    for (std::size_t k = 0; k < size; ++k) squares[k] = std::sqrt(5 * squares[k]);
    for (std::size_t k = 0; k < size; ++k) {
      const double r = squares[k], a = alpha_[i] * alpha_[i + 1 + k] / variance_;
      squares[k] = (inverse[i * m + i + 1 + k] - a) * (5.0 / 6) * (1 + r) * fast_exp(-r);
    }
    for (std::size_t j = 0; j < choice_.size(); ++j)
      for (std::size_t k = 0; k < size; ++k) result[j] += squares[k] * gaps[j * m + k];
  }
  return result;
}

// The correlations of each trial with all candidates, row by row. Single precision is enough for
// predictions: its error is far below the noise, which is at least 1e-4 of the variance.
std::vector<float> GaussianProcess::correlations(PointColumns at) const {
  const std::vector<float> columns(at.values.begin(), at.values.end());
  std::vector<float> rows(points_.count * at.count, 0);
  for (std::size_t i = 0; i < points_.count; ++i) {
    for (std::size_t j = 0; j < choice_.size(); ++j) {
      const auto add = choice_[j] != 0 ? add_mismatches<float> : add_squares<float>;
      add(&columns[j * at.count], at.count, static_cast<float>(points_.column(j)[i]),
          static_cast<float>(shape_.weights[j]), &rows[i * at.count]);
    }
  }
  correlate(rows.data(), rows.size());
  return rows;
}

Prediction GaussianProcess::predict(PointColumns at) const {
  std::vector<float> rows = correlations(at);
  Prediction result{std::vector<double>(at.count, mean_), std::vector<double>(at.count)};
  for (std::size_t i = 0; i < alpha_.size(); ++i)
    for (std::size_t c = 0; c < at.count; ++c)
      result.mean[c] += static_cast<double>(rows[i * at.count + c]) * alpha_[i];
  const std::vector<float> left = remaining_variance(rows, at.count);
  for (std::size_t c = 0; c < at.count; ++c) {
    const double share = std::max(static_cast<double>(left[c]), share_min);
    result.spread[c] = std::sqrt(variance_ * share);
  }
  return result;
}

// The remaining share of the prior variance, 1 - |U^-T r|^2. Overwrites the correlations.
std::vector<float> GaussianProcess::remaining_variance(std::vector<float>& rows,
                                                       std::size_t size) const {
  const std::size_t m = points_.count;
  std::vector<float> left(size, 1.0F);
  for (std::size_t k = 0; k < m; ++k) {
    const double* factors = &upper_[k * m];
    float* solved = &rows[k * size];
    const auto scale = static_cast<float>(1 / factors[k]);
    for (std::size_t c = 0; c < size; ++c) {
      solved[c] *= scale;
      left[c] -= solved[c] * solved[c];
    }
    for (std::size_t i = k + 1; i < m; ++i)
      subtract_scaled(&rows[i * size], solved, static_cast<float>(factors[i]), size);
  }
  return left;
}

}  // namespace hone
