// The networks of soft actor-critic and their updates (Haarnoja et al., 2018: "Soft Actor-Critic
// Algorithms and Applications"). Used by one thread.
//   targets      y = r + discount * (min of both target critics at (s', a') - temperature *
//                log pi(a')), a' drawn from the policy at s'
//   critics      each on half the mean of (Q(s, a) - y)^2
//   policy       mean of temperature * log pi(a) - min of both critics at (s, a), a drawn at s
//   temperature  log temperature on -mean of (log pi(a) + target entropy), if it is automatic
// after which the target critics move by the target rate to the critics.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/envs/core/stream.hpp"
#include "worker/train/nn/adam.hpp"
#include "worker/train/nn/input_network.hpp"
#include "worker/train/nn/optimizer.hpp"

namespace hone::sac {

struct SacRule {
  double target_rate = 0.005;  // share of the way to the critics
  bool automatic = true;       // learns the temperature
  double temperature = 1;      // at the start
  double target_entropy = -1;  // of the policy
  nn::OptimizerRule optimizer;
};

struct SacBatch {
  int rows = 0;
  const float* observations = nullptr;  // [rows][numbers]
  const float* next = nullptr;          // likewise
  const float* actions = nullptr;       // [rows][numbers of an action]
  const float* rewards = nullptr;
  const float* discounts = nullptr;
};

// Sums over updates, of the means of their batches.
struct SacMeter {
  std::int64_t updates = 0;
  double critic_loss = 0;    // of both critics
  double value = 0;          // of the first critic
  double entropy = 0;        // -log pi of drawn actions
  double gradient_norm = 0;  // of the policy
  double rate = 0;           // of the last update
};

// The shape of the critics of a policy: they take an observation and an action.
nn::NetShape critic_shape(const nn::NetShape& policy);

class SacLearner {
 public:
  // policy: an mlp over floats with Policy::squashed. `seed` draws the first weights.
  SacLearner(const SacRule& rule, const nn::NetShape& policy, std::uint64_t seed, int rows_max);

  // Draws an action for each row, [row][number], with this noise.
  void act(const float* observations, int rows, std::span<const double> noise,
           std::span<float> actions);
  // Makes one update, with noise from `random`. One that is not finite marks the run as diverged.
  void update(const SacBatch& batch, double rate, envs::Stream& random);

  [[nodiscard]] bool diverged() const { return diverged_; }
  [[nodiscard]] double temperature() const;
  SacMeter take_meter();

  // Vectors in the order of the model file.
  struct Trained {
    std::vector<float> weights, mean_square, mean;
  };
  struct State {
    Trained policy;
    std::array<Trained, 2> critics;
    std::array<std::vector<float>, 2> targets;
    double log_temperature = 0;
    Json temperature_optimizer;
    std::int64_t updates = 0;
  };
  [[nodiscard]] State state() const;
  // Returns false for a damaged state of the temperature. Precondition: the vectors are of the same
  // networks.
  bool restore(const State& state);

 private:
  struct Critic {
    std::unique_ptr<nn::InputNetwork> network;
    dense::Floats online, target;
    nn::Optimizer optimizer;
    dense::Floats gradient;  // of the outputs
  };

  Critic critic_of(std::uint64_t seed, int rows_max) const;
  // Draws actions for the observations into drawn_ and log_densities_, and joins both into pairs_.
  dense::Heads draw(const float* observations, int rows, envs::Stream& random);
  void join(const float* observations, const float* actions, int rows);
  void aim(const SacBatch& batch, envs::Stream& random);
  void train_critic(Critic& critic, const SacBatch& batch, double rate);
  void train_policy(const SacBatch& batch, double rate, envs::Stream& random);
  void slopes_of_lesser_value(int rows);
  void train_temperature(int rows, double rate);
  void move_targets();
  double step(nn::Optimizer& optimizer, dense::Floats& weights, std::span<const float> gradient,
              double rate);

  SacRule rule_;
  nn::NetShape policy_shape_, critic_shape_;
  std::unique_ptr<nn::Network> policy_network_;
  dense::Floats policy_;
  nn::Optimizer policy_optimizer_;
  std::array<Critic, 2> critics_;
  std::vector<double> log_temperature_{0};
  trainers::Adam temperature_optimizer_;
  std::int64_t updates_ = 0;
  bool diverged_ = false;
  SacMeter meter_;
  std::vector<double> noise_, log_densities_, targets_;
  std::vector<float> drawn_, slopes_, more_slopes_;
  dense::Floats pairs_, policy_gradient_;
};

}  // namespace hone::sac
