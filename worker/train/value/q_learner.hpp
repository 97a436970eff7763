// The online and the target network of Q-learning, and their updates. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/nn/network.hpp"
#include "worker/train/nn/optimizer.hpp"

namespace hone::dqn {

struct QRule {
  bool dueling = true;
  // The online network chooses the next action, and the target network gives its value (van
  // Hasselt et al., 2016).
  bool two_networks = true;
  double bound = 1;        // see q_loss.hpp
  int target_every = 500;  // updates between two moves of the target network
  double target_rate = 1;  // share of the way to the online network; 1: a copy
  ga3c::OptimizerRule optimizer;
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

// Sums over updates.
struct QMeter {
  std::int64_t updates = 0;
  double loss = 0;   // means of the batches
  double value = 0;  // likewise, Q of the chosen actions
  double gradient_norm = 0;
  double rate = 0;  // of the last update
};

class QLearner {
 public:
  // weights: in the order of the model file (net_parts()).
  QLearner(const QRule& rule, const ga3c::NetShape& shape, std::span<const float> weights,
           int rows_max, ga3c::NetworkMaker networks);

  // Returns the outputs of the online network, valid until the next call.
  dense::Heads outputs(const float* observations, int rows) {
    return network_->forward(online_, observations, rows);
  }
  // Makes one update. Writes target - Q of each row to `errors`. An update that is not finite marks
  // the run as diverged.
  void update(const QBatch& batch, double rate, std::span<float> errors);

  // Of the online network, as the kernels take them.
  [[nodiscard]] std::span<const float> weights() const { return online_; }
  [[nodiscard]] bool diverged() const { return diverged_; }
  QMeter take_meter();

  // Vectors in the order of the model file.
  struct State {
    std::vector<float> weights, target;
    std::vector<float> mean_square;
    std::vector<float> mean;  // empty, unless the optimizer has one
    std::int64_t updates = 0;
  };
  [[nodiscard]] State state() const;
  // Precondition: the state is of the same network and optimizer.
  void restore(const State& state);

 private:
  void aim(const QBatch& batch);
  void move_target();

  QRule rule_;
  ga3c::NetShape shape_;
  std::unique_ptr<ga3c::Network> network_;
  dense::Floats online_, target_;
  ga3c::Optimizer optimizer_;
  std::int64_t updates_ = 0;
  bool diverged_ = false;
  QMeter meter_;
  std::vector<std::int32_t> best_;
  std::vector<double> targets_, row_;
  dense::Floats gradient_;
};

}  // namespace hone::dqn
