// The gradient of the loss of Q-learning over a batch of transitions. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/nn/network.hpp"
#include "worker/train/nn/optimizer.hpp"

namespace hone::q {

struct QRule {
  bool dueling = true;
  // The online network chooses the next action, and the target network gives its value (van
  // Hasselt et al., 2016).
  bool two_networks = true;
  double bound = 1;                  // see q_loss.hpp
  int target_every = 500;            // updates between two moves of the target network
  double target_rate = 1;            // share of the way to the online network; 1: a copy
  std::int64_t average_updates = 0;  // see QLearner::State::average; 0: none
  nn::OptimizerRule optimizer;
};

struct QBatch {
  int rows = 0;
  const float* observations = nullptr;  // [rows][row_floats]
  const float* next = nullptr;          // likewise
  const std::int32_t* actions = nullptr;
  const float* rewards = nullptr;
  const float* discounts = nullptr;
  const float* weights = nullptr;
};

class QGradient {
 public:
  QGradient(const QRule& rule, const nn::NetShape& shape, int rows_max,
            const nn::NetworkMaker& networks);

  // The outputs of the network with these weights, valid until the next call.
  dense::Heads outputs(std::span<const float> weights, const float* observations, int rows) {
    return network_->forward(weights, observations, rows);
  }

  struct Step {
    std::span<const float> gradient;  // valid until the next call
    double loss = 0;                  // mean of the batch
    double value = 0;                 // likewise, Q of the chosen actions
  };
  // Writes target - Q of each row to `errors`. Weights are as the kernels take them.
  Step compute(const QBatch& batch, std::span<const float> online, std::span<const float> target,
               std::span<float> errors);

 private:
  void aim(const QBatch& batch, std::span<const float> online, std::span<const float> target);

  QRule rule_;
  std::unique_ptr<nn::Network> network_;
  std::vector<std::int32_t> best_;
  std::vector<double> targets_, row_;
  dense::Floats slopes_;  // of the outputs
};

// Moves the target network a share of the way to the online one; 1 copies it.
void move_target(dense::Floats& target, std::span<const float> online, double share);

}  // namespace hone::q
