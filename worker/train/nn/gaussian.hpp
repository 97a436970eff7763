// The policy for continuous actions: every number is drawn from a normal distribution. The network
// predicts its mean from the state; its deviation is one learned parameter for all states.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::nn {

// Bounds of the deviation, within which gradients stay useful.
inline constexpr double log_deviation_min = -5;
inline constexpr double log_deviation_max = 2;

inline double gaussian_deviation(float log_deviation) {
  return std::exp(
      std::clamp(static_cast<double>(log_deviation), log_deviation_min, log_deviation_max));
}

inline double gaussian_log_density(double number, double mean, double deviation) {
  const double z = (number - mean) / deviation;
  return -0.5 * z * z - std::log(deviation) - 0.5 * std::log(2 * std::numbers::pi);
}

// The loss of loss.hpp with -log of the density in place of -log pi, and the entropy of the
// density. `numbers`: the chosen actions, [samples][numbers of an action]. plan.actions and
// plan.log_floor are not used. A log deviation beyond its bounds counts as the bound.
dense::LossSums gaussian_loss(const dense::LossPlan& plan, const float* numbers);

}  // namespace hone::nn
