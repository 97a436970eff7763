// The online and the target network of Q-learning, and their updates. Used by one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "worker/train/nn/optimizer.hpp"
#include "worker/train/run/trainer.hpp"
#include "worker/train/value/q_gradient.hpp"

namespace hone::q {

// Sums over updates.
struct QMeter {
  std::int64_t updates = 0;
  double loss = 0;   // means of the batches
  double value = 0;  // likewise, Q of the chosen actions
  double gradient_norm = 0;
  double rate = 0;  // of the last update
};

// Appends them as metrics, unless there are none. `seconds`: in which they were made.
void add_learning(const QMeter& meter, double seconds, std::vector<trainers::MetricPoint>& points);

class QLearner {
 public:
  // weights: in the order of the model file (net_parts()).
  QLearner(const QRule& rule, const nn::NetShape& shape, std::span<const float> weights,
           int rows_max, const nn::NetworkMaker& networks);

  // Returns the outputs of the online network, valid until the next call.
  dense::Heads outputs(const float* observations, int rows) {
    return gradient_.outputs(online_, observations, rows);
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
    // Of the online weights: the mean until average_updates, then a moving one. Empty: not kept.
    std::vector<float> average;
    std::int64_t updates = 0;
  };
  [[nodiscard]] State state() const;
  // Precondition: the state is of the same network and optimizer.
  void restore(const State& state);

 private:
  void follow_average();

  QRule rule_;
  nn::NetShape shape_;
  QGradient gradient_;
  dense::Floats online_, target_;
  dense::Floats average_;  // empty without average_updates
  nn::Optimizer optimizer_;
  std::int64_t updates_ = 0;
  bool diverged_ = false;
  QMeter meter_;
};

}  // namespace hone::q
