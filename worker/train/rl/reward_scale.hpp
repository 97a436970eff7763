// Divides rewards by the deviation of the discounted returns so far: one learning rate then suits
// every discount and every game. All agents share one scale, because the network learns one.
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>

#include "worker/train/rl/returns.hpp"

namespace hone::rl {

class RewardScale {
 public:
  struct State {
    // Starts with one artificial return of deviation 1, which bounds the first rewards.
    double count = 1;
    double mean = 0;
    double squares = 1;
  };

  explicit RewardScale(double gamma) : gamma_(gamma) {}

  // Scales the rewards of consecutive steps of one environment, after it has added them to the
  // statistics. `sum` is the discounted return of the running episode before and after the steps.
  // Thread-safe.
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

  // For checkpoints, while no agent runs.
  [[nodiscard]] const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  static constexpr double scaled_max = 10;  // bounds a first reward after many steps without

  void enter(double value) {  // Welford's update
    state_.count += 1;
    const double above = value - state_.mean;
    state_.mean += above / state_.count;
    state_.squares += above * (value - state_.mean);
  }

  double gamma_;
  std::mutex mutex_;
  State state_;
};

}  // namespace hone::rl
