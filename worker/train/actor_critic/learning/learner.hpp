// Turns rollouts into updates of the weights.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "worker/train/actor_critic/learning/loss.hpp"
#include "worker/train/actor_critic/learning/rollout.hpp"
#include "worker/train/nn/network.hpp"
#include "worker/train/nn/optimizer.hpp"
#include "worker/train/rl/schedule.hpp"
#include "worker/train/rl/trained_weights.hpp"
#include "worker/train/rl/weights.hpp"

namespace hone::ac {

// Sums since they were last taken.
struct LearningMeter {
  std::int64_t updates = 0;
  std::int64_t samples = 0;
  LossTerms loss;            // sums over samples
  double gradient_norm = 0;  // sum over updates
  double policy_lag = 0;     // sum over samples: updates between choosing an action and learning
  double kl = 0;             // sum over samples: see minibatches.hpp
  double rate = 0;           // of the last update
};

// Adds the sums over samples to `sum`, not those over updates.
void add(LearningMeter& sum, const LearningMeter& batch);

// PPO's updates; see minibatches.hpp.
struct MinibatchRule {
  int count = 1;          // of a rollout in an epoch
  bool normalize = true;  // advantages, in each minibatch
  double value_clip = 0;  // 0: not clipped
  double kl_stop = 0;     // 0: no early end
};

struct LearningRule {
  LossWeights loss;  // its entropy comes from the schedule below
  nn::OptimizerRule optimizer;
  bool mean_loss = true;  // over the batch; false: the sum, as published
  rl::Schedule rate{1e-3, 0};
  rl::Schedule entropy{0.01, 0.01};
  int epochs = 1;  // how often each frame is trained
  std::int64_t frames_total = 1;
  MinibatchRule minibatches;
};

// Holds the weights, the optimizer and the annealing that all learners share. Thread-safe.
class ParameterServer {
 public:
  // weights: in the order of the model file (net_parts()).
  ParameterServer(const LearningRule& rule, const nn::NetShape& shape,
                  std::span<const float> weights, int readers_max);

  // Applies one gradient and publishes the new weights. A gradient or loss that is not finite
  // changes nothing and marks the run as diverged.
  void apply(std::span<const float> gradient, const LearningMeter& batch);

  // Advances the annealing by samples that are not trained.
  void skip(std::int64_t samples) { frames_.fetch_add(samples, std::memory_order_relaxed); }

  [[nodiscard]] rl::WeightBoard& weights() { return board_; }
  [[nodiscard]] const LearningRule& rule() const { return rule_; }
  [[nodiscard]] std::int64_t updates() const { return updates_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool diverged() const { return diverged_.load(std::memory_order_relaxed); }
  // The weights of the terms of the loss, annealed to now.
  [[nodiscard]] LossWeights loss_weights() const;
  LearningMeter take_meter();
  [[nodiscard]] std::int64_t updates();  // made so far

  // For checkpoints, while no learner runs.
  using State = rl::TrainedWeights;
  [[nodiscard]] State state() const;
  // Precondition: the state is of the same network and optimizer.
  void restore(const State& state);

 private:
  [[nodiscard]] double done() const;

  const LearningRule rule_;
  const nn::NetShape shape_;
  std::mutex mutex_;
  dense::Floats weights_;
  nn::Optimizer optimizer_;
  std::atomic<std::int64_t> frames_ = 0;
  std::atomic<std::int64_t> updates_ = 0;
  LearningMeter meter_;
  std::atomic<bool> diverged_{false};
  rl::WeightBoard board_;
};

// Computes gradients. Each thread that trains has its own.
class Learner {
 public:
  Learner(const nn::NetShape& shape, int samples_max, const nn::NetworkMaker& networks,
          ParameterServer& server);

  // Makes one update of the server from the pieces, with the gradient at `weights`.
  void serve(std::span<const Piece> pieces, const nn::WeightView& weights);
  // Returns the gradient of the pieces at `weights`; valid until the next call. The pieces are not
  // needed after that.
  std::span<const float> gradient_of(std::span<const Piece> pieces, const nn::WeightView& weights,
                                     LearningMeter& meter);

 private:
  // For pieces that fit into one batch; each sample is weighted by `scale`.
  std::span<const float> batch_gradient(std::span<const Piece> pieces,
                                        const nn::WeightView& weights, float scale);
  std::size_t fitting(std::span<const Piece> pieces) const;
  void gather(std::span<const Piece> pieces);
  // Fills output_gradient_.
  dense::LossSums loss_of(const dense::Heads& outputs, float scale);

  nn::NetShape shape_;
  ParameterServer& server_;
  std::unique_ptr<nn::Network> network_;
  int samples_max_;
  int samples_ = 0;
  double version_sum_ = 0;
  LearningMeter batch_;
  dense::Numbers actions_;
  std::vector<float> numbers_;  // of continuous actions, [samples][numbers of an action]
  dense::Floats targets_;
  dense::Floats advantages_, log_chances_;
  dense::Floats output_gradient_;
  dense::Floats gradient_sum_;  // over batches
};

}  // namespace hone::ac
