// The loss of one sample (dense/kernels.hpp has the arithmetic):
//   policy   -log pi(a) * (R - V)         (V is a constant here)
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
};

struct LossTerms {
  double policy = 0;
  double value = 0;
  double entropy = 0;  // H itself, without its weight
};

}  // namespace hone::ga3c
