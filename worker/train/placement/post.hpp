// Agents of a softmax for each group: Post (Gao et al., 2018), its two halves, and plain REINFORCE.
#pragma once

#include "worker/train/nn/adam.hpp"
#include "worker/train/placement/agent.hpp"
#include "worker/train/placement/policy.hpp"

namespace hone::trainers {

// post      a cross-entropy update every elite_every samples, otherwise PPO every update_every
// ce, ppo   one of the two
// reinforce the policy gradient
class SoftmaxAgent : public Agent {
 public:
  explicit SoftmaxAgent(const AgentPlan& plan);

  placement::Placement sample(placement::RandomGenerator& generator) override;
  placement::Placement greedy() override;
  [[nodiscard]] int wanted() const override;
  void observe(const Sample& sample) override;
  [[nodiscard]] double entropy() override;
  [[nodiscard]] Json state() const override;
  Status restore(const Json& state) override;

 private:
  void learn_from_elites();
  void learn_by_ppo(const std::vector<Sample>& samples);
  void learn_by_gradient(std::vector<Sample> samples);

  SoftmaxPolicy policy_;
  int elite_every_ = 0;   // 0: never
  int update_every_ = 0;  // 0: never
  bool reinforce_ = false;
  double elite_share_;
  double epsilon_;
  double beta_;
  double kl_target_;
  double learning_rate_ = 1;
  double baseline_decay_ = 0.9;
  double one_device_ms_;
  std::int64_t budget_;
  std::int64_t failures_until_;
  std::int64_t seen_ = 0;
  double baseline_ = -1;  // below 0: none yet
  std::vector<Sample> window_;
  Adam adam_;
};

}  // namespace hone::trainers
