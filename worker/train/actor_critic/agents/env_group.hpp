// A group of environments that one agent steps together, with the last prediction for each. Used by
// one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/actor_critic/serving/network_client.hpp"
#include "worker/train/envs/core/env.hpp"
#include "worker/train/envs/core/stream.hpp"
#include "worker/train/nn/kernels/floats.hpp"
#include "worker/train/rl/episodes.hpp"
#include "worker/train/rl/group_state.hpp"

namespace hone::ac {

class EnvGroup {
 public:
  // first_index: of its first environment among all environments of the run.
  EnvGroup(std::unique_ptr<envs::VecEnv> env, std::uint64_t seed, std::uint64_t first_index);

  [[nodiscard]] int count() const { return env_->count(); }
  [[nodiscard]] const envs::EnvSpec& spec() const { return env_->spec(); }

  // Predicts policy and value for `observations` [count][row_floats] and, into also_values(), the
  // values of the last observations of the environments `also`, whose episodes the last step ended.
  void predict(const float* observations, NetworkClient& client, std::span<const int> also = {});
  // Draws an action for each environment from the last prediction.
  void draw_actions();
  // The drawn action, where actions are discrete.
  [[nodiscard]] std::int32_t action(int i) const { return actions_[static_cast<std::size_t>(i)]; }
  // The drawn continuous action, numbers_each() numbers; empty where actions are discrete.
  [[nodiscard]] std::span<const float> numbers(int i) const {
    return std::span(numbers_).subspan(static_cast<std::size_t>(i) * numbers_each(),
                                       numbers_each());
  }
  [[nodiscard]] std::size_t numbers_each() const {
    const bool continuous = spec().action_kind == envs::ActionKind::continuous;
    return continuous ? static_cast<std::size_t>(spec().actions) : 0;
  }
  // The logarithms of the drawn actions' probabilities, or densities; valid until the next call.
  [[nodiscard]] std::span<const float> log_chances();
  // Takes a step in all environments. Writes the next observations to `next`
  // [count][row_floats] and adds finished episodes to the log.
  void step(float* next, rl::EpisodeLog& episodes);

  // Results of the last prediction and the last step, one for each environment.
  [[nodiscard]] std::uint64_t version() const { return request_.version; }
  [[nodiscard]] std::span<const float> values() const { return values_; }
  [[nodiscard]] std::span<const float> also_values() const { return also_values_; }
  [[nodiscard]] double reward(int i) const { return rewards_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool terminated(int i) const {
    return terminated_[static_cast<std::size_t>(i)] != 0;
  }
  [[nodiscard]] bool truncated(int i) const { return truncated_[static_cast<std::size_t>(i)] != 0; }

  // The observations to act on next, [count][row_floats]; valid between two rollouts.
  [[nodiscard]] std::span<float> latest() { return latest_; }
  [[nodiscard]] std::span<const double> running_returns() const { return running_.returns(); }
  // Discounted returns of the running episodes; the agent updates them.
  [[nodiscard]] std::span<double> discounted_returns() { return discounted_returns_; }

  using State = rl::GroupState;
  [[nodiscard]] State state() const;
  // Returns false for a state of another environment or of another number of environments.
  bool restore(const State& state);

 private:
  void draw_choices();
  void draw_numbers();

  std::unique_ptr<envs::VecEnv> env_;
  std::vector<envs::Stream> streams_;  // of the actions
  std::vector<float> latest_, policy_, values_, rewards_, final_observations_;
  std::vector<float> also_observations_, also_values_;
  std::vector<std::uint8_t> terminated_, truncated_;
  std::vector<std::int32_t> actions_;
  std::vector<float> numbers_;  // of continuous actions
  rl::RunningEpisodes running_;
  std::vector<double> discounted_returns_;
  std::vector<float> uniforms_, cumulative_;
  dense::Floats log_chances_;
  PredictRequest request_;
};

}  // namespace hone::ac
