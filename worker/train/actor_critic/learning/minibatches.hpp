// PPO's updates (Schulman et al., 2017): the samples of a rollout are shuffled and trained in
// several minibatches, several times. The loss is that of loss.hpp. Advantages may be normalised in
// each minibatch, values clipped as ratios are, and the updates of a rollout end early when the
// policy has moved too far.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/learning/rollout.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::ac {

// The mean of r - 1 - log r over the samples, an estimate of KL(old policy, new policy); r is the
// ratio of the probabilities of an action, now and when it was chosen.
double approximate_kl(std::span<const float> log_chances, std::span<const float> old_log_chances);
// To mean 0 and deviation 1. Fewer than two advantages stay as they are.
void normalize(std::span<float> advantages);

// Used by one thread.
class MinibatchLearner {
 public:
  // samples_max: of a rollout.
  MinibatchLearner(const nn::NetShape& shape, int samples_max, const nn::NetworkMaker& networks,
                   ParameterServer& server, std::uint64_t seed);

  // Makes the updates of a rollout. `pieces` are all its columns.
  void train(std::span<const Piece> pieces);

 private:
  // A sample of the rollout.
  struct Sample {
    const float* observation = nullptr;
    const float* numbers = nullptr;  // of a continuous action
    std::int32_t action = 0;
    float target = 0;
    float advantage = 0;
    float log_chance = 0;
    double version = 0;
  };

  void collect(std::span<const Piece> pieces);
  void shuffle();
  void gather(std::span<const std::uint32_t> chosen);
  // Returns false, without an update, if the policy has moved too far.
  bool update(std::span<const std::uint32_t> chosen);
  dense::LossSums loss_of(const dense::Heads& outputs);
  void clip_values(const dense::Heads& outputs, double weight, dense::LossSums& sums);

  nn::NetShape shape_;
  ParameterServer& server_;
  std::uint64_t seed_;
  std::unique_ptr<nn::Network> network_;
  std::vector<Sample> samples_;
  std::vector<std::uint32_t> order_;

  // The minibatch.
  int rows_ = 0;
  double version_sum_ = 0;
  dense::Numbers actions_;
  std::vector<float> numbers_;
  dense::Floats targets_, advantages_, log_chances_, new_log_chances_, old_values_;
  dense::Floats output_gradient_;
};

}  // namespace hone::ac
