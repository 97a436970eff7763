// Plays environments by a Q-network and puts the steps into a replay memory. Used by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/envs/core/env.hpp"
#include "worker/train/nn/network.hpp"
#include "worker/train/replay/memory.hpp"
#include "worker/train/rl/episodes.hpp"
#include "worker/train/rl/group_state.hpp"
#include "worker/train/value/exploration.hpp"

namespace hone::q {

struct PlayRule {
  Exploration exploration;
  std::int64_t random_until = 0;  // frames before which all actions are random
  double reward_clip = 0;         // 0: not clipped
  std::uint64_t seed = 0;
  int first = 0;  // of its environments among all of the run
  int all = 1;    // environments of the run
};

// The outputs of a network for rows of observations.
using QOutputs = std::function<dense::Heads(const float* observations, int rows)>;

class Player {
 public:
  Player(std::unique_ptr<envs::VecEnv> env, const PlayRule& rule);

  // One step of every environment, by the network or at random. `frame` addresses the random
  // numbers; exploration depends on `age`, the frames of the run so far.
  void step(std::int64_t frame, std::int64_t age, const QOutputs& outputs, replay::Memory& memory,
            rl::EpisodeLog& episodes);
  [[nodiscard]] int count() const { return env_->count(); }
  // The observations to act on next, as the environments gave them.
  [[nodiscard]] std::span<const float> latest() const { return latest_; }
  // The mean probability of a random action.
  [[nodiscard]] double epsilon(std::int64_t age) const;
  [[nodiscard]] const std::vector<double>& running_returns() const { return running_.returns(); }

  [[nodiscard]] rl::GroupState state() const;
  // Returns false for a state of other environments.
  bool restore(const rl::GroupState& state, replay::Memory& memory);

 private:
  void choose(std::int64_t frame, std::int64_t age, const QOutputs& outputs);
  void remember(replay::Memory& memory);

  std::unique_ptr<envs::VecEnv> env_;
  PlayRule rule_;
  std::vector<float> latest_, next_, last_, rewards_;
  std::vector<std::uint8_t> terminated_, truncated_;
  std::vector<std::int32_t> actions_;
  rl::RunningEpisodes running_;
};

}  // namespace hone::q
