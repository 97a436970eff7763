#include "worker/train/actor_critic/learning/vtrace.hpp"

#include <algorithm>
#include <cmath>

namespace hone::ac {

void vtrace(const VtraceSteps& steps, const VtraceRule& rule, std::span<float> targets,
            std::span<float> advantages) {
  const double gamma = rule.discount.gamma;
  double next_value = steps.tail;
  double next_target = steps.tail;
  for (std::size_t t = steps.outcomes.size(); t-- > 0;) {
    const auto& step = steps.outcomes[t];
    if (step.ending == rl::Ending::terminated) next_value = next_target = 0;
    if (step.ending == rl::Ending::truncated) next_value = next_target = step.cut_value;
    const double ratio = std::exp(steps.log_ratios[t]);
    const double rho = std::min(rule.rho_clip, ratio);
    const double trace = rule.discount.lambda * std::min(rule.c_clip, ratio);
    const double value = steps.values[t];
    const double delta = rho * (step.reward + gamma * next_value - value);
    advantages[t] = static_cast<float>(rho * (step.reward + gamma * next_target - value));
    next_target = value + delta + gamma * trace * (next_target - next_value);
    next_value = value;
    targets[t] = static_cast<float>(next_target);
  }
}

}  // namespace hone::ac
