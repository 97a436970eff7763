// An agent plays its group of environments by the predicted policy and hands roll-outs to the
// trainers. There are two ways to cut and label roll-outs: ours and the published one.
#pragma once

#include <memory>
#include <vector>

#include "worker/train/actor_critic/agents/group.hpp"
#include "worker/train/actor_critic/experience/frames.hpp"
#include "worker/train/actor_critic/experience/reward_scale.hpp"

namespace hone::ga3c {

struct AgentRule {
  int t_max = 8;
  Discount discount;
  double reward_clip = 0;     // rewards are bounded to +-; 0: they are not
  int epochs = 1;             // ours: how often a roll-out is trained
  bool bounded = false;       // ours: by the bounded policy term, see loss.hpp
  bool scale_rewards = true;  // ours: see reward_scale.hpp
};

class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  virtual ~Agent() = default;

  // Plays until the shift is over and everything handed over is trained.
  virtual void play(Shift& shift, EpisodeBook& episodes, Services& services) = 0;
  // For reports and checkpoints, while it does not play.
  virtual Group& group() = 0;
};

// All environments run in step for t_max steps, through the ends of episodes: terminal transitions
// are trained, and a truncated episode is worth the value of its last state.
// The agent has one roll-out and waits until it is trained, so predictions are at most as old as
// what the other agents had trained meanwhile; with one agent, one predictor and one trainer a run
// can be repeated bit for bit.
std::unique_ptr<Agent> make_corrected_agent(std::unique_ptr<Group> group, const AgentRule& rule,
                                            RewardScale& scale);

// The published code: an environment's roll-out is t_max experiences or the rest of its episode,
// the last experience is kept for the next roll-out or, at an episode's end, dropped. The agent
// goes on playing while up to `slots` roll-outs wait.
std::unique_ptr<Agent> make_parity_agent(std::unique_ptr<Group> group, const AgentRule& rule,
                                         int slots);

}  // namespace hone::ga3c
