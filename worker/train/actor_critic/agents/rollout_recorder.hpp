// Plays a group of environments into a rollout, through the ends of episodes.
#pragma once

#include <vector>

#include "worker/train/actor_critic/agents/agent.hpp"
#include "worker/train/actor_critic/learning/rollout.hpp"

namespace hone::ac {

RolloutShape rollout_shape(const EnvGroup& group, const AgentRule& rule);

class RolloutRecorder {
 public:
  explicit RolloutRecorder(const AgentRule& rule) : rule_(rule) {}

  // Takes `steps` steps of all environments, each by the newest prediction of the client.
  // Precondition: the group has a prediction for its latest observations.
  void record(EnvGroup& group, int steps, Rollout& rollout, rl::EpisodeLog& episodes,
              NetworkClient& client);

 private:
  void note(EnvGroup& group, int t, Rollout& rollout);
  [[nodiscard]] double clipped(double reward) const;

  AgentRule rule_;
  std::vector<int> cut_;  // environments whose episode the last step truncated
};

}  // namespace hone::ac
