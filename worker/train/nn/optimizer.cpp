#include "worker/train/nn/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::nn {
namespace {

float flushed(float x) { return std::abs(x) < dense::least_average ? 0.0F : x; }

// Not a kernel: it is there to repeat a published training.
float centered_rmsprop(const dense::OptimizerStep& step) {
  float sum = 0;
  for (std::int64_t i = 0; i < step.count; ++i) {
    const float gradient = step.scale * step.gradient[i];
    const float kept = step.second_decay;
    step.first[i] = flushed(kept * step.first[i] + (1 - kept) * gradient);
    step.second[i] = flushed(kept * step.second[i] + (1 - kept) * gradient * gradient);
    // Rounding can leave less than 0.
    const float variance = std::max(step.second[i] - step.first[i] * step.first[i], 0.0F);
    step.parameters[i] -= step.rate * gradient / std::sqrt(variance + step.epsilon);
    sum += 0.0F * step.parameters[i];  // NaN if the parameter is not finite
  }
  return sum;
}

// As above: for a published training, not for speed.
float adagrad(const dense::OptimizerStep& step) {
  float sum = 0;
  for (std::int64_t i = 0; i < step.count; ++i) {
    const float gradient = step.scale * step.gradient[i];
    step.second[i] += gradient * gradient;
    step.parameters[i] -= step.rate * gradient / std::sqrt(step.second[i] + step.epsilon);
    sum += 0.0F * step.parameters[i];
  }
  return sum;
}

}  // namespace

Optimizer::Optimizer(const OptimizerRule& rule, dense::Floats first_mean_square)
    : rule_(rule), state_{{}, std::move(first_mean_square), 0} {
  if (rule.kind == OptimizerKind::rmsprop) return;
  std::fill(state_.mean_square.begin(), state_.mean_square.end(), 0.0F);
  if (has_mean(rule.kind)) state_.mean = state_.mean_square;
}

double optimizer_step(const OptimizerRule& rule, const OptimizerVectors& vectors,
                      std::span<const float> gradient, double learning_rate, std::int64_t& steps) {
  const auto& kernels = dense::best_kernels();
  const auto count = static_cast<std::int64_t>(vectors.parameters.size());
  const double norm = std::sqrt(kernels.square_sum(gradient.data(), count));
  if (!std::isfinite(norm)) return norm;
  ++steps;

  const bool clipped = rule.clip > 0 && norm > rule.clip;
  dense::OptimizerStep step;
  step.count = count;
  step.parameters = vectors.parameters.data();
  step.gradient = gradient.data();
  step.first = vectors.mean.data();
  step.second = vectors.mean_square.data();
  step.scale = static_cast<float>(clipped ? rule.clip / norm : 1.0);
  step.second_decay = static_cast<float>(rule.decay);
  const double epsilon = std::max(rule.epsilon, 1e-30);  // no gradient, no step: not 0/0
  switch (rule.kind) {
    case OptimizerKind::rmsprop:
      step.rate = static_cast<float>(learning_rate);
      step.epsilon = static_cast<float>(epsilon);
      return norm + kernels.rmsprop(step);
    case OptimizerKind::rmsprop_centered:
      step.rate = static_cast<float>(learning_rate);
      step.epsilon = static_cast<float>(epsilon);
      return norm + static_cast<double>(centered_rmsprop(step));
    case OptimizerKind::adagrad:
      step.rate = static_cast<float>(learning_rate);
      step.epsilon = static_cast<float>(epsilon);
      return norm + static_cast<double>(adagrad(step));
    case OptimizerKind::adam:
      break;
  }
  const auto made = static_cast<double>(steps);
  const double root = std::sqrt(1 - std::pow(rule.decay, made));
  step.first_decay = static_cast<float>(rule.momentum);
  step.rate = static_cast<float>(learning_rate * root / (1 - std::pow(rule.momentum, made)));
  step.epsilon = static_cast<float>(epsilon * root);
  return norm + kernels.adam(step);
}

}  // namespace hone::nn
