// RMSProp over flat parameter and gradient vectors, fused with the clip of the global gradient
// norm.
#pragma once

#include <span>
#include <vector>

namespace hone::ga3c {

struct RmsPropRule {
  double decay = 0.99;
  double epsilon = 1e-5;
  double clip = 0.5;  // of the global norm; 0: none
};

// The form of TensorFlow 1: epsilon under the root, and the mean square starts at one, so the first
// steps are short.
class RmsProp {
 public:
  RmsProp(const RmsPropRule& rule, std::size_t parameters);

  // Moves the parameters. Returns the gradient's norm before the clip, or a number that is not
  // finite when the gradient or a parameter is not: the run has diverged, and the parameters are
  // worth nothing.
  double step(std::span<float> parameters, std::span<const float> gradient, double learning_rate);

  [[nodiscard]] std::span<const float> mean_square() const { return mean_square_; }
  [[nodiscard]] std::span<float> mean_square() { return mean_square_; }

 private:
  RmsPropRule rule_;
  std::vector<float> mean_square_;
};

}  // namespace hone::ga3c
