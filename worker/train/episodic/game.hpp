// Whole episodes of one environment, as the episodic trainers learn from them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/envs/core/env.hpp"
#include "worker/train/episodic/policy_net.hpp"

namespace hone::trainers::episodic {

struct Episode {
  std::vector<Observation> observations;
  std::vector<int> actions;
  std::vector<double> rewards;
  [[nodiscard]] double total() const;
};

// What is played: an environment, up to a number of steps.
struct GamePlan {
  std::string env;
  int steps = 0;  // of an episode; 0: 200 of CartPole-v1, as many as the rules allow of others
  std::uint64_t seed = 0;
};

class Game {
 public:
  // Refuses an unknown environment, and one with continuous actions.
  static Result<Game> make(const GamePlan& plan);

  [[nodiscard]] const envs::EnvSpec& spec() const { return env_->spec(); }
  // The environment; "CartPole-v0" for CartPole-v1 with episodes of 200 steps.
  [[nodiscard]] const std::string& name() const { return name_; }
  // The longest episode; 0: no limit is known.
  [[nodiscard]] int steps() const { return steps_; }
  // The mean return of 100 episodes that counts as solved; infinity: none is agreed on.
  [[nodiscard]] double goal() const;

  // Plays one episode. sure: takes the most probable action in each step.
  Episode play(PolicyNet& net, placement::RandomGenerator& generator, bool sure);

  // The state between two episodes.
  [[nodiscard]] std::vector<std::uint64_t> save() const { return env_->save(); }
  [[nodiscard]] bool restore(std::span<const std::uint64_t> words) {
    return env_->restore(words, latest_.data());
  }

 private:
  Game(std::unique_ptr<envs::VecEnv> env, std::string name, int steps);

  std::unique_ptr<envs::VecEnv> env_;
  std::string name_;
  int steps_ = 0;
  std::vector<float> latest_, next_, last_;  // rows of the environment
  std::vector<float> numbers_;
};

}  // namespace hone::trainers::episodic
