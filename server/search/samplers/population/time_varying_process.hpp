// The Gaussian process of `pb2`: gains that depend on inputs, and less on older observations.
#pragma once

#include <span>
#include <vector>

namespace hone {

// k(a, b) = variance exp(-|a - b|^2 / length) (1 - forgetting)^(|t_a - t_b| / 2), plus noise on the
// diagonal.
struct TimeVaryingKernel {
  double variance = 1;
  double length = 1;
  double forgetting = 0.1;
  double noise = 1;
};

struct TimedInput {
  double time = 0;
  std::vector<double> at;
};

class TimeVaryingProcess {
 public:
  // Precondition: as many values as inputs, at least one.
  TimeVaryingProcess(std::vector<TimedInput> inputs, std::span<const double> values,
                     const TimeVaryingKernel& kernel);

  // False if the covariance is singular; then nothing below holds.
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] double log_likelihood() const;
  [[nodiscard]] double mean(const TimedInput& at) const;
  [[nodiscard]] double deviation(const TimedInput& at) const;

 private:
  [[nodiscard]] double covariance(const TimedInput& a, const TimedInput& b) const;
  [[nodiscard]] std::vector<double> solved(const TimedInput& at) const;

  std::vector<TimedInput> inputs_;
  TimeVaryingKernel kernel_;
  std::vector<double> lower_;     // row-major L, L L^T = covariance
  std::vector<double> whitened_;  // L^-1 values
  bool fits_ = false;
};

// Returns the kernel of the largest likelihood that a simplex search (Nelder and Mead, 1965) of a
// bounded number of steps finds from the default.
TimeVaryingKernel fit_kernel(const std::vector<TimedInput>& inputs, std::span<const double> values);

}  // namespace hone
