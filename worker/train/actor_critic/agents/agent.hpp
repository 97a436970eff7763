// An agent plays its group of environments by the predicted policy and hands rollouts to the
// trainers. There are three ways to cut and label rollouts: corrected, without labels, and as
// published.
#pragma once

#include <memory>
#include <vector>

#include "worker/train/actor_critic/agents/env_group.hpp"
#include "worker/train/rl/frames.hpp"
#include "worker/train/rl/reward_scale.hpp"

namespace hone::ac {

struct AgentRule {
  int t_max = 8;
  rl::Discount discount;
  double reward_clip = 0;     // rewards are clipped to [-reward_clip, reward_clip]; 0: not at all
  int epochs = 1;             // corrected: how often a rollout is trained
  bool bounded = false;       // corrected: records what PPO's policy term needs, see loss.hpp
  bool scale_rewards = true;  // corrected: see reward_scale.hpp
  bool waits = false;         // parity: an agent waits until its rollout is trained
};

class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  virtual ~Agent() = default;

  // Plays until the budget grants no more frames, and returns when everything handed over is
  // trained.
  virtual void play(rl::FrameBudget& budget, rl::EpisodeLog& episodes, NetworkClient& client) = 0;
  // For reports and checkpoints, while play() does not run.
  virtual EnvGroup& group() = 0;
};

// All environments take t_max steps together, through the ends of episodes: terminal transitions
// are trained, and the return of a truncated episode is bootstrapped from the value of its last
// state. The agent has one rollout and waits until it is trained, so a policy lags only by the
// updates of other agents; with one agent, one predictor and one trainer a run can be repeated bit
// for bit.
std::unique_ptr<Agent> make_corrected_agent(std::unique_ptr<EnvGroup> group, const AgentRule& rule,
                                            rl::RewardScale& scale);

// The same rollouts without returns, which the learner of IMPALA computes. The agent continues to
// play while up to `slots` rollouts wait to be trained, and starts each with the newest weights.
// rule.bounded must be set.
std::unique_ptr<Agent> make_queueing_agent(std::unique_ptr<EnvGroup> group, const AgentRule& rule,
                                           int slots, rl::RewardScale& scale);

// As the published code (github.com/NVlabs/GA3C): a rollout of an environment is t_max experiences
// or the rest of its episode; the last experience is kept for the next rollout or, at the end of an
// episode, dropped. The agent continues to play while up to `slots` rollouts wait to be trained.
std::unique_ptr<Agent> make_parity_agent(std::unique_ptr<EnvGroup> group, const AgentRule& rule,
                                         int slots);

}  // namespace hone::ac
