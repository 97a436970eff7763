// n-step returns, backwards over a rollout: R <- r + gamma * R.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace hone::rl {

// How a step left its episode.
enum class Ending : std::uint8_t { none, terminated, truncated };

// One step of one environment in a rollout.
struct Step {
  double reward = 0;
  Ending ending = Ending::none;
  double cut_value = 0;   // V of the last observation, if the step truncated the episode
  double next_value = 0;  // V of the state after the step, if the episode continues
  double value = 0;       // V of the state before the step
};

struct Discount {
  double gamma = 0.99;
  // 1: the returns of all steps to the end of the rollout; 0: of one step; between, the geometric
  // mixture of the returns of 1, 2, 3, ... steps: TD(lambda), whose advantages are those of GAE
  // (Schulman et al., 2016, equation 16).
  double lambda = 1;
};

// Writes the return of step t to out[t]. `tail` is V of the state after the last step. After a
// terminated episode the return continues from 0, after a truncated one from V of its last
// observation.
inline void discounted_returns(std::span<const Step> steps, double tail, const Discount& discount,
                               std::span<float> out) {
  double value = tail;
  for (std::size_t t = steps.size(); t-- > 0;) {
    const auto& step = steps[t];
    if (t + 1 < steps.size())
      value = discount.lambda * value + (1 - discount.lambda) * step.next_value;
    if (step.ending == Ending::terminated) value = 0;
    if (step.ending == Ending::truncated) value = step.cut_value;
    value = step.reward + discount.gamma * value;
    out[t] = static_cast<float>(value);
  }
}

struct ParityRule {
  double gamma = 0.99;
  double reward_clip = 1;  // to [-1, 1] as published; 0: not at all
};

// As the published code: rewards are clipped, and the last experience contributes only the value of
// its state (`tail`; 0 at the end of an episode), so its reward is not used. `out` has one element
// less than `rewards`.
inline void parity_returns(std::span<const double> rewards, double tail, const ParityRule& rule,
                           std::span<float> out) {
  const double bound = rule.reward_clip > 0 ? rule.reward_clip : HUGE_VAL;
  double value = tail;
  for (std::size_t t = rewards.size() - 1; t-- > 0;) {
    value = std::clamp(rewards[t], -bound, bound) + rule.gamma * value;
    out[t] = static_cast<float>(value);
  }
}

}  // namespace hone::rl
