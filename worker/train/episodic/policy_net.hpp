// A policy for CartPole: four numbers, a hidden layer of ReLUs, a softmax over two actions.
#pragma once

#include <array>
#include <vector>

#include "placement/core/random_generator.hpp"

namespace hone::trainers::episodic {

inline constexpr int inputs = 4;
inline constexpr int actions = 2;
using Observation = std::array<double, inputs>;

class PolicyNet {
 public:
  PolicyNet(int hidden, placement::RandomGenerator& generator);

  // Returns the probability of each action, and keeps the hidden layer for add_gradient().
  std::array<double, actions> forward(const Observation& observation);
  // Adds weight * d(log probability of the action) / d weights, for the last forward().
  void add_gradient(int action, double weight, std::vector<double>& gradient) const;

  // Hidden weights [unit][input + bias], then those of the actions [action][unit + bias].
  std::vector<double>& weights() { return weights_; }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

 private:
  [[nodiscard]] std::size_t hidden_row(std::size_t unit) const { return unit * (inputs + 1); }
  [[nodiscard]] std::size_t action_row(std::size_t action) const {
    return hidden_ * (inputs + 1) + action * (hidden_ + 1);
  }

  std::size_t hidden_;
  std::vector<double> weights_;
  Observation observation_{};
  std::vector<double> activity_;
  std::array<double, actions> probabilities_{};
};

}  // namespace hone::trainers::episodic
