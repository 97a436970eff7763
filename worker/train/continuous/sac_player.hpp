// Plays environments by the policy of soft actor-critic and puts the steps into a replay memory.
// Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "worker/train/continuous/sac_learner.hpp"
#include "worker/train/envs/core/env.hpp"
#include "worker/train/replay/memory.hpp"
#include "worker/train/rl/episodes.hpp"
#include "worker/train/rl/group_state.hpp"

namespace hone::sac {

struct SacPlayRule {
  std::int64_t random_until = 0;  // frames before which actions are uniform in [-1, 1]
  // Steps for which an environment keeps such an action: where a goal is reached only by many equal
  // actions, new ones in each step never reach it.
  int random_hold = 1;
  double reward_scale = 1;
  std::uint64_t seed = 0;
};

class SacPlayer {
 public:
  SacPlayer(std::unique_ptr<envs::VecEnv> env, const SacPlayRule& rule);

  // One step of every environment. `frame`: those of the run so far, which address the random
  // numbers.
  void step(std::int64_t frame, SacLearner& learner, replay::Memory& memory,
            rl::EpisodeLog& episodes);
  [[nodiscard]] int count() const { return env_->count(); }
  [[nodiscard]] const std::vector<double>& running_returns() const { return running_.returns(); }

  [[nodiscard]] rl::GroupState state() const;
  // Returns false for a state of other environments.
  bool restore(const rl::GroupState& state, replay::Memory& memory);

 private:
  void choose(std::int64_t frame, SacLearner& learner);
  void choose_at_random(std::int64_t frame);
  void remember(replay::Memory& memory);

  std::unique_ptr<envs::VecEnv> env_;
  SacPlayRule rule_;
  std::size_t each_;  // numbers of an action
  std::vector<float> latest_, next_, last_, rewards_, actions_;
  std::vector<double> noise_;
  std::vector<std::uint8_t> terminated_, truncated_;
  rl::RunningEpisodes running_;
};

}  // namespace hone::sac
