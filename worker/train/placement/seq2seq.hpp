// The agent of Mirhoseini et al. (2017): controllers draw placements from a sequence-to-sequence
// network and train it by REINFORCE on the square root of the cost.
//
// Each of C controllers draws K placements with its own copy of the shared weights, computes the
// gradient there with its own baseline, adds it to the shared weights by Adam, and copies them. The
// controllers add in a fixed order and not as they finish, so that a run repeats: each gradient is
// C - 1 updates old, as with an asynchronous parameter server whose controllers are equally fast.
#pragma once

#include "worker/train/nn/adam.hpp"
#include "worker/train/placement/seq2seq_network.hpp"

namespace hone::trainers {

class Seq2SeqAgent : public Agent {
 public:
  explicit Seq2SeqAgent(const AgentPlan& plan);

  // Draws with the copy of the controller whose turn it is.
  placement::Placement sample(placement::RandomGenerator& generator) override;
  std::vector<placement::Placement> draw(int count, placement::RandomGenerator& generator) override;
  placement::Placement greedy() override;
  [[nodiscard]] int wanted() const override;
  void observe(const Sample& sample) override;
  [[nodiscard]] double entropy() override;
  [[nodiscard]] Json state() const override;
  Status restore(const Json& state) override;

  // Log probability of the last sample().
  [[nodiscard]] double sampled_log_probability() const { return sampled_; }
  [[nodiscard]] const Seq2SeqNetwork& network() const { return network_; }
  [[nodiscard]] const Vector& weights() const { return weights_; }

 private:
  struct Controller {
    Vector weights;        // the shared ones, as they were after its last update
    double baseline = -1;  // below 0: none yet
  };

  [[nodiscard]] const Controller& controller_of(std::size_t position) const;
  Vector gradient_of(std::size_t index);
  void learn();

  Seq2SeqNetwork network_;
  std::size_t groups_, devices_;
  double entropy_weight_, learning_rate_, baseline_decay_;
  double one_device_ms_;
  std::size_t update_every_, threads_;
  std::int64_t failures_until_;

  Vector weights_;
  Adam adam_;
  std::vector<Controller> controllers_;
  std::vector<Sample> batch_;  // update_every_ of each controller, in their order
  std::int64_t seen_ = 0;
  double sampled_ = 0;
};

}  // namespace hone::trainers
