// The loss of Q-learning over a batch, and its gradient with respect to the outputs of the network.
//   plain    Q(a) is output a
//   dueling  Q(a) = V + A(a) - mean A, where V is the value output (Wang et al., 2016)
// A sample's loss is weight * h(target - Q(action)); h is the square, halved, or with a bound the
// Huber loss: the slope is clipped to the bound, as published for DQN with a bound of 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::q {

// One row of the outputs as Q values, one for each action.
void q_values(const dense::Heads& outputs, int row, bool dueling, std::span<double> out);
// The first action with the largest value.
std::int32_t greedy_action(const dense::Heads& outputs, int row);

struct QLossPlan {
  dense::Heads outputs;
  const std::int32_t* actions = nullptr;
  const double* targets = nullptr;
  const float* weights = nullptr;
  bool dueling = false;
  double bound = 1;           // of the slope; 0: none
  float* gradient = nullptr;  // of the mean loss, laid out as the outputs
  float* errors = nullptr;    // target - Q(action), without the weight
};

struct QLossSums {
  double loss = 0;
  double value = 0;  // Q of the chosen actions
};

QLossSums q_loss(const QLossPlan& plan);

}  // namespace hone::q
