// The policy of Mirhoseini et al. (2017): a bidirectional LSTM reads the groups, and an LSTM with
// content-based attention chooses a device for each. Weights are arguments, so that several threads
// may use it at once.
#pragma once

#include "worker/train/nn/tape.hpp"
#include "worker/train/placement/agent.hpp"

namespace hone::trainers {

struct DrawnPlacement {
  placement::Placement placement;
  double log_probability = 0;
  double entropy = 0;  // summed over the groups
};

class Seq2SeqNetwork {
 public:
  explicit Seq2SeqNetwork(const AgentPlan& plan);

  [[nodiscard]] const Vector& initial_weights() const { return initial_; }
  // What the encoder reads of each group besides its kind.
  [[nodiscard]] const std::vector<Vector>& features() const { return features_; }

  // nullptr: the most probable device of each group, given those before it.
  [[nodiscard]] DrawnPlacement draw(const Vector& weights,
                                    placement::RandomGenerator* generator) const;
  // Of a given placement (teacher forcing).
  [[nodiscard]] double log_probability(const Vector& weights,
                                       const placement::Placement& placement) const;
  // Gradient with respect to the weights of scale * log probability + bonus * entropy.
  [[nodiscard]] Vector gradient(const Vector& weights, const placement::Placement& placement,
                                double scale, double bonus) const;

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
  void put_features(const placement::Problem& problem, bool shapes);

  std::size_t groups_, devices_, hidden_;
  double temperature_, tanh_constant_;
  std::vector<Vector> features_;
  std::vector<std::size_t> kinds_;
  std::size_t kind_count_ = 0;
  std::vector<Vector> leaning_;  // added to the logits of each group
  Vector initial_;
  Matrix kind_, memory_, memory_bias_, query_, query_bias_, attention_, device_, out_, out_bias_;
  Cell forward_, backward_, decoder_;
};

}  // namespace hone::trainers
