// A small Gaussian process, with which TPE's surrogate predicts losses.
//
//   cov(f(x), f(y)) = v (1 + r + r^2 / 3) exp(-r),  r^2 = 5 sum_j q_j (x_j - y_j)^2   (Matern 5/2)
//
// A choice contributes q_j if the values differ. Observed values have noise v s. The mean is the
// generalized least squares estimate, and v its maximum likelihood estimate (Rasmussen and
// Williams, 2006, 2.7 and 5.4). Pending points have no value: they reduce the uncertainty and leave
// the mean unchanged, as if the mean's own prediction had been observed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hone {

struct ProcessShape {
  std::vector<double> weights;  // q_j
  double noise = 1e-4;          // s
};

// Points as columns: the first coordinate of all of them, then the second, ...
struct PointColumns {
  std::span<const double> values;
  std::size_t count = 0;
  [[nodiscard]] const double* column(std::size_t j) const { return values.data() + j * count; }
};

struct Prediction {
  std::vector<double> mean;
  std::vector<double> spread;  // standard deviation
};

class GaussianProcess {
 public:
  // `choice` flags the dimensions that are choices. Keeps references to both arguments.
  GaussianProcess(PointColumns points, std::span<const std::uint8_t> choice);

  // Fits to `values`, observed at the first points. Returns false if the covariance is singular.
  bool fit(const ProcessShape& shape, std::span<const double> values);
  // Finds the log likelihood alone, which takes less time, and least after a call with the same
  // weights. Only log_likelihood() may be called then.
  bool assess(const ProcessShape& shape, std::span<const double> values);

  [[nodiscard]] double log_likelihood() const { return log_likelihood_; }
  // Predictions at the observed points.
  [[nodiscard]] std::span<const double> means() const { return means_; }
  [[nodiscard]] Prediction predict(PointColumns at) const;
  // The derivative of the log likelihood by the logarithm of each weight (ibid., 5.9).
  // Precondition: every point was observed.
  [[nodiscard]] std::vector<double> slopes() const;

 private:
  [[nodiscard]] std::vector<double> inverse() const;
  void correlate_points();
  bool factor();
  void find_likelihood(std::span<const double> values);
  [[nodiscard]] std::vector<float> correlations(PointColumns at) const;
  [[nodiscard]] std::vector<float> remaining_variance(std::vector<float>& rows,
                                                      std::size_t size) const;

  PointColumns points_;
  std::span<const std::uint8_t> choice_;
  ProcessShape shape_;
  // Upper triangles over the points by shape_.weights: r of above, exp(-r) and the correlations.
  std::vector<double> distances_, decays_, correlations_;
  std::vector<double> upper_;  // row-major U, U^T U = covariance / v
  std::vector<double> alpha_;  // (covariance / v)^-1 (values - mean) of the observed
  std::vector<double> means_;
  double mean_ = 0;
  double variance_ = 1;
  double log_likelihood_ = 0;
};

}  // namespace hone
