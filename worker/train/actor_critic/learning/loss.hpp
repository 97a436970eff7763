// The loss of one sample (nn/kernels/kernels.hpp has the arithmetic):
//   policy   -log pi(a) * (R - V)         V is a constant here
//            with ratio_clip: -min(r A, clip(r, 1 - ratio_clip, 1 + ratio_clip) A)
//                                         r is pi(a) divided by pi(a) when a was chosen,
//                                         A is R - V when a was chosen
//   entropy  -beta * H(pi)
//   value    weight * (R - V)^2           weight 1/2 is the published loss
// Mnih et al. (2016), section 4; ratio_clip: PPO, Schulman et al. (2017), equation 7.
#pragma once

namespace hone::ac {

struct LossWeights {
  double entropy = 0.01;
  double value = 0.5;
  // The logarithm is log(max(pi, log_floor)), with gradient 0 below the floor; 0: no floor.
  double log_floor = 0;
  double ratio_clip = 0;  // 0: the plain policy term
};

struct LossTerms {
  double policy = 0;
  double value = 0;
  double entropy = 0;  // H itself, without its weight
};

}  // namespace hone::ac
