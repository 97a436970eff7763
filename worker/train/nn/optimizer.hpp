// RMSProp, AdaGrad and Adam over packed parameter and gradient vectors, with a bound of the global
// gradient norm.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "worker/train/nn/kernels/floats.hpp"

namespace hone::nn {

enum class OptimizerKind {
  rmsprop,
  rmsprop_centered,  // divides by the deviation of the gradient; both means start at 0
  adagrad,           // divides by the root of the sum of squares, which starts at 0
  adam,
};

struct OptimizerRule {
  OptimizerKind kind = OptimizerKind::rmsprop;
  double decay = 0.99;  // of the mean square, and of a centered RMSProp's mean; Adam's beta2
  double epsilon = 1e-5;
  double momentum = 0.9;  // Adam's beta1
  double clip = 0.5;      // of the global norm; 0: none
};

constexpr bool has_mean(OptimizerKind kind) {
  return kind == OptimizerKind::adam || kind == OptimizerKind::rmsprop_centered;
}

// What a step moves.
struct OptimizerVectors {
  std::span<float> parameters;
  std::span<float> mean;         // see has_mean()
  std::span<float> mean_square;  // of AdaGrad: the sum
};

// Moves the vectors and counts the step in `steps`. Returns the gradient's norm before the clip, or
// a number that is not finite when the gradient or a parameter is not: the run has diverged, and
// the parameters are worth nothing.
double optimizer_step(const OptimizerRule& rule, const OptimizerVectors& vectors,
                      std::span<const float> gradient, double learning_rate, std::int64_t& steps);

// RMSProp in the form of TensorFlow 1: epsilon under the root, and the mean square starts at one,
// so the first steps are short. Centered RMSProp as published for DQN (Mnih et al., 2015). AdaGrad
// (Duchi et al., 2011) with epsilon under the root. Adam as published, with its corrections of the
// start.
class Optimizer {
 public:
  Optimizer(const OptimizerRule& rule, dense::Floats first_mean_square);

  // As optimizer_step().
  double step(std::span<float> parameters, std::span<const float> gradient, double learning_rate) {
    return optimizer_step(rule_, {parameters, state_.mean, state_.mean_square}, gradient,
                          learning_rate, state_.steps);
  }

  struct State {
    dense::Floats mean;         // of Adam and centered RMSProp; else empty
    dense::Floats mean_square;  // of AdaGrad: the sum
    std::int64_t steps = 0;
  };
  [[nodiscard]] const State& state() const { return state_; }
  // Precondition: of the same rule and size.
  void restore(State state) { state_ = std::move(state); }

 private:
  OptimizerRule rule_;
  State state_;
};

}  // namespace hone::nn
