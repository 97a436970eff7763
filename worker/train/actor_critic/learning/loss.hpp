// The loss of one sample (dense/kernels.hpp has the arithmetic):
//   policy   -log pi(a) * (R - V)         (V is a constant here)
//            or, with ratio_clip, -min(r A, clip(r, 1 - ratio_clip, 1 + ratio_clip) A), where r is
//            pi(a) against what it was when a was chosen, and A is R - V as it was then (PPO)
//   entropy  -beta * H(pi)
//   value    weight * (R - V)^2           (weight 1/2 gives the published loss)
#pragma once

namespace hone::ga3c {

struct LossWeights {
  double entropy = 0.01;
  double value = 0.5;
  // log(max(pi, log_floor)), and no gradient through the logarithm below it; 0 takes the logarithm
  // exactly.
  double log_floor = 0;
  double ratio_clip = 0;  // 0: the plain policy term
};

struct LossTerms {
  double policy = 0;
  double value = 0;
  double entropy = 0;  // H itself, without its weight
};

}  // namespace hone::ga3c
