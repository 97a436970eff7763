// n-step returns, backwards over a roll-out: R <- r + gamma * R.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace hone::ga3c {

// How a step left its episode.
enum class Ending : std::uint8_t { none, terminated, truncated };

// What one environment did at one step of a roll-out.
struct Step {
  double reward = 0;
  Ending ending = Ending::none;
  double cut_value = 0;   // V of the last observation where the episode was truncated
  double next_value = 0;  // V of the state after the step, where the episode goes on
  double value = 0;       // V of the state before the step
};

struct Discount {
  double gamma = 0.99;
  // 1: returns of all steps to the roll-out's end; 0: of one step; between, the geometric mixture
  // of returns of 1, 2, 3, ... steps (TD(lambda), which makes the advantages those of GAE).
  double lambda = 1;
};

// out[t] receives the return of step t; `tail` is V of the state after the last step. An episode
// that terminated is worth nothing further; one that was truncated is worth V of its last
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
  double reward_clip = 1;  // to [-1, 1], as published; 0: not at all
};

// The published code: rewards are clipped, and the last experience gives only its
// state's value (0 at an episode's end), so its own reward is never used. out has one element less
// than rewards.
inline void parity_returns(std::span<const double> rewards, double tail, const ParityRule& rule,
                           std::span<float> out) {
  const double bound = rule.reward_clip > 0 ? rule.reward_clip : HUGE_VAL;
  double value = tail;
  for (std::size_t t = rewards.size() - 1; t-- > 0;) {
    value = std::clamp(rewards[t], -bound, bound) + rule.gamma * value;
    out[t] = static_cast<float>(value);
  }
}

}  // namespace hone::ga3c
