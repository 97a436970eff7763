// The policy of soft actor-critic: a = tanh(u), u = mean + deviation * noise for each number of an
// action, with noise from the standard normal distribution (Haarnoja et al., 2018, appendix C). The
// outputs of the network are those of Policy::squashed: all means, then all log deviations, which
// count as the bounds of gaussian.hpp where they are beyond them.
//   log pi(a) = sum of log N(u; mean, deviation) - log(1 - a^2)
#pragma once

#include <span>

#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::sac {

// Writes the actions of all rows, [row][number], and the logarithm of each row's density. `noise`:
// [row][number].
void squash(const dense::Heads& outputs, std::span<const double> noise, std::span<float> actions,
            std::span<double> log_densities);

struct PolicyLoss {
  dense::Heads outputs;
  std::span<const double> noise;        // with which squash() drew the actions
  std::span<const float> actions;       // of squash()
  std::span<const float> value_slopes;  // d Q / d action, [row][number]
  double temperature = 0;
};

// Writes the gradient of the mean over rows of temperature * log pi(a) - Q(a) with respect to the
// outputs, laid out as they are: the reparametrised one, in which `a` depends on the outputs. The
// value output has none.
void policy_gradient(const PolicyLoss& loss, float* gradient);

}  // namespace hone::sac
