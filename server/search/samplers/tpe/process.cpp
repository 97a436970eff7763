#include "server/search/samplers/tpe/process.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/search/samplers/tpe/exp.hpp"

// The loops again for wider registers, chosen when the program starts. They compute the same bits:
// nothing is fused (-ffp-contract=off), and each sum keeps its order.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HONE_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define HONE_WIDE
#endif
#define HONE_KERNEL __attribute__((always_inline)) inline

namespace hone {
namespace {

constexpr double process_pivot_min = 1e-12;  // a smaller one means that the covariance is singular
constexpr double share_min = 1e-10;          // of the prior variance that a prediction keeps
constexpr double variance_min = 1e-12;       // of the process, for losses that are all equal

// Squared distances to distances in place, exp of less these, and correlations.
HONE_KERNEL void correlate(double* distances, double* decays, double* correlations,
                           std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) distances[i] = std::sqrt(5 * distances[i]);
  for (std::size_t i = 0; i < size; ++i) {
    const double r = distances[i];
    decays[i] = fast_exp(-r);
    correlations[i] = (1 + r + r * r * (1.0 / 3)) * decays[i];
  }
}

HONE_KERNEL void correlate_in_place(float* squares, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) squares[i] = std::sqrt(5 * squares[i]);
  for (std::size_t i = 0; i < size; ++i) {
    const float r = squares[i];
    squares[i] = (1 + r + r * r * (1.0F / 3)) * fast_exp(-r);
  }
}

// squares[i] += the weighted distance between xs[i] and y in one dimension.
template <class Real>
HONE_KERNEL void add_squares(const Real* __restrict xs, std::size_t size, Real y, Real weight,
                             Real* __restrict squares) {
  for (std::size_t i = 0; i < size; ++i) {
    const Real gap = xs[i] - y;
    squares[i] += weight * gap * gap;
  }
}

template <class Real>
HONE_KERNEL void add_mismatches(const Real* __restrict xs, std::size_t size, Real y, Real weight,
                                Real* __restrict squares) {
  for (std::size_t i = 0; i < size; ++i) squares[i] += xs[i] == y ? 0 : weight;
}

template <class Real>
HONE_KERNEL void add_distances(bool choice, const Real* xs, std::size_t size, Real y, Real weight,
                               Real* squares) {
  if (choice) return add_mismatches(xs, size, y, weight, squares);
  add_squares(xs, size, y, weight, squares);
}

template <class Real>
HONE_KERNEL void subtract_scaled(Real* __restrict row, const Real* __restrict other, Real factor,
                                 std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) row[i] -= factor * other[i];
}

// The same of several rows in turn, with the bits of as many calls and fewer loads.
constexpr std::size_t block = 8;
using Factors = std::array<double, block>;
HONE_KERNEL void subtract_block(double* __restrict row, const double* __restrict others,
                                std::size_t stride, const Factors& factors, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    double left = row[i];
    for (std::size_t k = 0; k < block; ++k) left -= factors[k] * others[k * stride + i];
    row[i] = left;
  }
}

HONE_KERNEL Factors column_of(const double* rows, std::size_t stride) {
  Factors factors{};
  for (std::size_t k = 0; k < block; ++k) factors[k] = rows[k * stride];
  return factors;
}

// sums[j] += the product of `values` and row j. Sums of four rows at a time do not wait for each
// other.
HONE_KERNEL void add_products(const double* values, const double* rows, std::size_t stride,
                              std::size_t size, std::vector<double>& sums) {
  constexpr std::size_t together = 4;
  std::size_t j = 0;
  for (; j + together <= sums.size(); j += together) {
    const double *a = rows + j * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    double in_a = sums[j], in_b = sums[j + 1], in_c = sums[j + 2], in_d = sums[j + 3];
    for (std::size_t k = 0; k < size; ++k) {
      in_a += values[k] * a[k];
      in_b += values[k] * b[k];
      in_c += values[k] * c[k];
      in_d += values[k] * d[k];
    }
    sums[j] = in_a, sums[j + 1] = in_b, sums[j + 2] = in_c, sums[j + 3] = in_d;
  }
  for (; j < sums.size(); ++j)
    for (std::size_t k = 0; k < size; ++k) sums[j] += values[k] * rows[j * stride + k];
}

}  // namespace

GaussianProcess::GaussianProcess(PointColumns points, std::span<const std::uint8_t> choice)
    : points_(points), choice_(choice) {}

bool GaussianProcess::fit(const ProcessShape& shape, std::span<const double> values) {
  if (!assess(shape, values)) return false;
  const std::size_t m = points_.count, n = values.size();
  for (std::size_t k = n; k-- > 0;) {
    const double* row = &upper_[k * m];
    for (std::size_t i = k + 1; i < n; ++i) alpha_[k] -= row[i] * alpha_[i];
    alpha_[k] /= row[k];
  }
  means_.resize(n);
  for (std::size_t k = 0; k < n; ++k) means_[k] = values[k] - shape_.noise * alpha_[k];
  return true;
}

bool GaussianProcess::assess(const ProcessShape& shape, std::span<const double> values) {
  const bool same_weights = !correlations_.empty() && shape.weights == shape_.weights;
  shape_ = shape;
  if (!same_weights) correlate_points();
  upper_ = correlations_;
  const std::size_t m = points_.count;
  for (std::size_t i = 0; i < m; ++i) upper_[i * m + i] += shape_.noise;
  if (!factor()) return false;
  find_likelihood(values);
  return true;
}

HONE_WIDE void GaussianProcess::correlate_points() {
  const std::size_t m = points_.count;
  correlations_.resize(m * m);
  decays_.resize(m * m);
  distances_.assign(m * m, 0);
  for (std::size_t i = 0; i < m; ++i) {  // row by row
    double* row = &distances_[i * m + i];
    for (std::size_t j = 0; j < choice_.size(); ++j) {
      const double* column = points_.column(j);
      add_distances(choice_[j] != 0, column + i, m - i, column[i], shape_.weights[j], row);
    }
    correlate(row, &decays_[i * m + i], &correlations_[i * m + i], m - i);
  }
}

HONE_WIDE bool GaussianProcess::factor() {
  const std::size_t m = points_.count;
  for (std::size_t first = 0; first < m; first += block) {
    const std::size_t end = std::min(first + block, m);
    for (std::size_t k = first; k < end; ++k) {
      double* pivot = &upper_[k * m];
      if (!(pivot[k] > process_pivot_min)) return false;
      const double scale = 1 / std::sqrt(pivot[k]);
      for (std::size_t i = k; i < m; ++i) pivot[i] *= scale;
      for (std::size_t i = k + 1; i < end; ++i)
        subtract_scaled(&upper_[i * m + i], pivot + i, pivot[i], m - i);
    }
    for (std::size_t i = end; i < m; ++i) {
      const double* above = &upper_[first * m + i];
      subtract_block(&upper_[i * m + i], above, m, column_of(above, m), m - i);
    }
  }
  return true;
}

// The observed points come first, so their factor is the leading block of the whole one. Leaves
// U alpha in alpha_.
HONE_WIDE void GaussianProcess::find_likelihood(std::span<const double> values) {
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
  alpha_ = std::move(a);
}

// (covariance / v)^-1, of which only the upper triangle is meant, row by row.
HONE_WIDE std::vector<double> GaussianProcess::inverse() const {
  const std::size_t m = points_.count;
  std::vector<double> lower(m * m, 0), result(m * m, 0);  // lower: U^-T, row by row
  for (std::size_t k = 0; k < m; ++k) {
    double* row = &lower[k * m];
    row[k] = 1;
    std::size_t i = 0;
    for (; i + block <= k; i += block) {
      subtract_block(row, &lower[i * m], m, column_of(&upper_[i * m + k], m), i + block);
    }
    for (; i < k; ++i) subtract_scaled(row, &lower[i * m], upper_[i * m + k], i + 1);
    for (i = 0; i <= k; ++i) row[i] /= upper_[k * m + k];
  }
  std::size_t k = 0;
  for (; k + block <= m; k += block)
    for (std::size_t i = 0; i < k + block; ++i) {
      const double* rows = &lower[k * m + i];  // beyond the diagonal are zeros
      Factors factors = column_of(rows, m);
      for (double& factor : factors) factor = -factor;
      subtract_block(&result[i * m + i], rows, m, factors, k + block - i);
    }
  for (; k < m; ++k)
    for (std::size_t i = 0; i <= k; ++i)
      subtract_scaled(&result[i * m + i], &lower[k * m + i], -lower[k * m + i], k + 1 - i);
  return result;
}

HONE_WIDE std::vector<double> GaussianProcess::slopes() const {
  const std::size_t m = points_.count;
  const std::vector<double> inverse = this->inverse();
  std::vector<double> result(choice_.size(), 0), factors(m), gaps(m * choice_.size());
  for (std::size_t i = 0; i + 1 < m; ++i) {
    const std::size_t size = m - i - 1, row = i * m + i + 1;
    for (std::size_t j = 0; j < choice_.size(); ++j) {
      const double* column = points_.column(j);
      std::fill_n(&gaps[j * m], size, 0);
      add_distances(choice_[j] != 0, column + i + 1, size, column[i], shape_.weights[j],
                    &gaps[j * m]);
    }
    for (std::size_t k = 0; k < size; ++k) {
      const double a = alpha_[i] * alpha_[i + 1 + k] / variance_;
      factors[k] = (inverse[row + k] - a) * (5.0 / 6) * (1 + distances_[row + k]);
      factors[k] *= decays_[row + k];
    }
    add_products(factors.data(), gaps.data(), m, size, result);
  }
  return result;
}

// The correlations of each trial with all candidates, row by row. Single precision is enough for
// predictions: its error is far below the noise, which is at least 1e-4 of the variance.
HONE_WIDE std::vector<float> GaussianProcess::correlations(PointColumns at) const {
  const std::vector<float> columns(at.values.begin(), at.values.end());
  std::vector<float> rows(points_.count * at.count, 0);
  for (std::size_t i = 0; i < points_.count; ++i) {
    for (std::size_t j = 0; j < choice_.size(); ++j) {
      add_distances(choice_[j] != 0, &columns[j * at.count], at.count,
                    static_cast<float>(points_.column(j)[i]), static_cast<float>(shape_.weights[j]),
                    &rows[i * at.count]);
    }
  }
  correlate_in_place(rows.data(), rows.size());
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
HONE_WIDE std::vector<float> GaussianProcess::remaining_variance(std::vector<float>& rows,
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
