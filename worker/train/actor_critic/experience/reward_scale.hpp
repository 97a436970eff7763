// Brings rewards to a scale on which one learning rate suits every discount and every game: they
// are divided by the deviation of the discounted returns seen so far. Shared by all agents, because
// the network learns one scale.
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>

#include "worker/train/actor_critic/experience/returns.hpp"

namespace hone::ga3c {

class RewardScale {
 public:
  struct State {
    double count =
        1;  // one made-up observation of deviation 1, so that the first real ones do not explode
    double mean = 0;
    double squares = 1;
  };

  explicit RewardScale(double gamma) : gamma_(gamma) {}

  // Enters the steps of one environment, whose discounted return so far is `sum`, and scales their
  // rewards.
  void apply(std::span<Step> steps, double& sum) {
    const std::scoped_lock lock(mutex_);
    for (const auto& step : steps) {
      sum = gamma_ * sum + step.reward;
      enter(sum);
      if (step.ending != Ending::none) sum = 0;
    }
    const double factor = 1.0 / std::sqrt(state_.squares / state_.count + 1e-8);
    for (auto& step : steps)
      step.reward = std::clamp(step.reward * factor, -scaled_max, scaled_max);
  }

  // For checkpoints, while nobody plays.
  [[nodiscard]] const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  static constexpr double scaled_max = 10;  // a first reward after a long drought

  void enter(double value) {
    state_.count += 1;
    const double above = value - state_.mean;
    state_.mean += above / state_.count;
    state_.squares += above * (value - state_.mean);
  }

  double gamma_;
  std::mutex mutex_;
  State state_;
};

}  // namespace hone::ga3c
