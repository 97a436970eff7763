// A policy over discrete actions: a hidden layer of ReLUs, a softmax.
#pragma once

#include <span>
#include <vector>

#include "placement/core/random_generator.hpp"

namespace hone::trainers::episodic {

using Observation = std::vector<double>;

struct PolicyShape {
  int inputs = 0;
  int hidden = 0;
  int actions = 0;
};

class PolicyNet {
 public:
  PolicyNet(const PolicyShape& shape, placement::RandomGenerator& generator);

  // Returns the probability of each action, until the next call, and keeps the hidden layer for
  // add_gradient().
  std::span<const double> forward(const Observation& observation);
  // Adds weight * d(log probability of the action) / d weights, for the last forward().
  void add_gradient(int action, double weight, std::vector<double>& gradient) const;

  // Hidden weights [unit][input + bias], then those of the actions [action][unit + bias].
  std::vector<double>& weights() { return weights_; }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

 private:
  [[nodiscard]] std::size_t hidden_row(std::size_t unit) const { return unit * (inputs_ + 1); }
  [[nodiscard]] std::size_t action_row(std::size_t action) const {
    return hidden_ * (inputs_ + 1) + action * (hidden_ + 1);
  }

  std::size_t inputs_, hidden_, actions_;
  std::vector<double> weights_;
  Observation observation_;
  std::vector<double> activity_;
  std::vector<double> probabilities_;
};

}  // namespace hone::trainers::episodic
