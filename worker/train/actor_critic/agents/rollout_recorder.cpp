#include "worker/train/actor_critic/agents/rollout_recorder.hpp"

#include <algorithm>

namespace hone::ac {

RolloutShape rollout_shape(const EnvGroup& group, const AgentRule& rule) {
  return {group.count(), rule.t_max, group.spec().row_floats(),
          static_cast<int>(group.numbers_each())};
}

void RolloutRecorder::record(EnvGroup& group, int steps, Rollout& rollout, rl::EpisodeLog& episodes,
                             NetworkClient& client) {
  rollout.steps = steps;
  const auto latest = group.latest();
  std::copy(latest.begin(), latest.end(), rollout.observations(0));
  for (int t = 0; t < steps; ++t) {
    rollout.version(t) = group.version();
    group.draw_actions();
    group.step(rollout.observations(t + 1), episodes);
    note(group, t, rollout);
    group.predict(rollout.observations(t + 1), client, cut_);
    const auto cell = static_cast<std::size_t>(t);
    for (std::size_t k = 0; k < cut_.size(); ++k)
      rollout.outcomes(cut_[k])[cell].cut_value = group.also_values()[k];
    for (int i = 0; i < group.count(); ++i)
      rollout.outcomes(i)[cell].next_value = group.values()[static_cast<std::size_t>(i)];
  }
  std::copy_n(rollout.observations(steps), latest.size(), latest.begin());
}

void RolloutRecorder::note(EnvGroup& group, int t, Rollout& rollout) {
  cut_.clear();
  const auto log_chances = rule_.bounded ? group.log_chances() : std::span<const float>();
  for (int i = 0; i < group.count(); ++i) {
    auto ending = group.truncated(i) ? rl::Ending::truncated : rl::Ending::none;
    if (group.terminated(i)) ending = rl::Ending::terminated;
    if (ending == rl::Ending::truncated) cut_.push_back(i);
    const auto cell = static_cast<std::size_t>(t);
    rollout.actions(i)[cell] = group.action(i);
    std::copy_n(group.numbers(i).begin(), group.numbers_each(), rollout.numbers(t, i).begin());
    const double value = group.values()[static_cast<std::size_t>(i)];
    rollout.outcomes(i)[cell] = {clipped(group.reward(i)), ending, 0, 0, value};
    if (rule_.bounded) rollout.log_chances(i)[cell] = log_chances[static_cast<std::size_t>(i)];
  }
}

double RolloutRecorder::clipped(double reward) const {
  return rule_.reward_clip > 0 ? std::clamp(reward, -rule_.reward_clip, rule_.reward_clip) : reward;
}

}  // namespace hone::ac
