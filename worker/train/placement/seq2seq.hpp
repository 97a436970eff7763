// The agent of Mirhoseini et al. (2017): a bidirectional LSTM reads the groups, and an LSTM with
// content-based attention chooses a device for each; trained by REINFORCE on the square root of the
// step time.
#pragma once

#include "worker/train/nn/adam.hpp"
#include "worker/train/nn/tape.hpp"
#include "worker/train/placement/agent.hpp"

namespace hone::trainers {

class Seq2SeqAgent : public Agent {
 public:
  explicit Seq2SeqAgent(const AgentPlan& plan);

  placement::Placement sample(placement::RandomGenerator& generator) override;
  placement::Placement greedy() override;
  [[nodiscard]] int wanted() const override {
    return update_every_ - static_cast<int>(batch_.size());
  }
  void observe(const Sample& sample) override;
  [[nodiscard]] double entropy() override;
  [[nodiscard]] Json state() const override;
  Status restore(const Json& state) override;

  // Log probability of a given placement (teacher forcing), and of the last sample().
  [[nodiscard]] double log_probability(const placement::Placement& placement) const;
  [[nodiscard]] double sampled_log_probability() const { return sampled_; }
  // Gradient with respect to the weights of scale * log probability + bonus * entropy.
  [[nodiscard]] Vector gradient(const placement::Placement& placement, double scale,
                                double bonus) const;
  Vector& weights() { return weights_; }

 private:
  enum class Draw { chance, most_probable, given };
  struct Pass {
    std::vector<Tape::Var> choices;
    double log_probability = 0;
    double entropy = 0;
  };
  struct Cell {
    Matrix weights, bias;
  };
  struct State {
    Tape::Var c = 0;
    Tape::Var h = 0;
  };

  Matrix matrix(std::size_t rows, std::size_t columns, placement::RandomGenerator& generator);
  Cell cell(std::size_t input, std::size_t width, placement::RandomGenerator& generator);
  State step(Tape& tape, const Cell& cell, Tape::Var input, const State& before) const;
  State empty(Tape& tape, std::size_t width) const;
  Pass run(Tape& tape, placement::Placement& placement, Draw draw,
           placement::RandomGenerator* generator) const;
  void put_features(const placement::Problem& problem);
  void learn();

  std::size_t groups_, devices_, hidden_;
  std::vector<Vector> features_;
  std::vector<std::size_t> kinds_;
  std::size_t kind_count_ = 0;
  std::vector<Vector> leaning_;  // added to the logits of each group
  double temperature_, tanh_constant_, entropy_weight_, learning_rate_, baseline_decay_;
  double one_device_ms_;
  int update_every_;
  std::int64_t failures_until_;

  Vector weights_;
  Matrix kind_, memory_, memory_bias_, query_, query_bias_, attention_, device_, out_, out_bias_;
  Cell forward_, backward_, decoder_;
  Adam adam_;
  std::vector<Sample> batch_;
  std::int64_t seen_ = 0;
  double baseline_ = -1;  // below 0: none yet
  double sampled_ = 0;
};

}  // namespace hone::trainers
