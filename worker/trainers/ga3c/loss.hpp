// The loss of one sample and its gradient, as plain arithmetic:
//   policy   -log pi(a) * (R - V)         (V is a constant here)
//   entropy  -beta * H(pi)
//   value    weight * (R - V)^2           (weight 1/2 gives the published loss)
#pragma once

#include <span>

namespace hone::ga3c {

struct LossWeights {
  double entropy = 0.01;
  double value = 0.5;
  // log(max(pi, log_floor)), and no gradient through the logarithm below it; 0 takes the logarithm
  // exactly.
  double log_floor = 0;
};

struct Sample {
  int action = 0;
  double target = 0;     // the return R
  double advantage = 0;  // R - V, or what is used in its place
};

struct LossTerms {
  double policy = 0;
  double value = 0;
  double entropy = 0;  // H itself, without its weight

  [[nodiscard]] double total(const LossWeights& weights) const {
    return policy + value - weights.entropy * entropy;
  }
};

// Stable; out may be logits itself.
void softmax(std::span<const float> logits, std::span<float> out);

// probabilities and value are the network's outputs. gradient receives d loss / d logits, then d
// loss / d value, times `scale` (1 for a sum over the batch, 1/n for a mean).
struct Outputs {
  std::span<const float> probabilities;
  double value = 0;
};
LossTerms sample_loss(const Outputs& outputs, const Sample& sample, const LossWeights& weights,
                      std::span<float> gradient, double scale);

}  // namespace hone::ga3c
