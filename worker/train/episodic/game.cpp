#include "worker/train/episodic/game.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "worker/train/envs/table.hpp"

namespace hone::trainers::episodic {
namespace {

constexpr int steps_v0 = 200;        // of CartPole-v0, which differs from v1 by its length alone
constexpr double solved_v0 = 0.975;  // of the longest episode: 195 of 200

int drawn(std::span<const double> probabilities, placement::RandomGenerator& generator) {
  const int last = static_cast<int>(probabilities.size()) - 1;
  double rest = generator.uniform();
  int action = 0;
  for (; action < last && rest >= probabilities[static_cast<std::size_t>(action)]; ++action)
    rest -= probabilities[static_cast<std::size_t>(action)];
  return action;
}

}  // namespace

double Episode::total() const { return std::accumulate(rewards.begin(), rewards.end(), 0.0); }

Result<Game> Game::make(const GamePlan& plan) {
  auto env = envs::find_env(plan.env);
  if (!env) return std::move(env).error();
  if (env->spec.action_kind != envs::ActionKind::discrete)
    return refuse(
        Code::invalid,
        "cem and reinforce need discrete actions, and those of " + plan.env + " are continuous",
        "/env");
  auto made = env->make({1, plan.seed, 0, env->spec.sticky});
  if (!made) return std::move(made).error();
  const int limit = env->spec.step_limit;
  int steps = plan.steps;
  if (steps == 0) steps = plan.env == "CartPole-v1" ? steps_v0 : limit;
  if (limit > 0) steps = std::min(steps, limit);
  const bool v0 = plan.env == "CartPole-v1" && steps == steps_v0;
  return Game(*std::move(made), v0 ? "CartPole-v0" : plan.env, steps);
}

Game::Game(std::unique_ptr<envs::VecEnv> env, std::string name, int steps)
    : env_(std::move(env)), name_(std::move(name)), steps_(steps) {
  const auto row = static_cast<std::size_t>(spec().row_floats());
  for (auto* rows : {&latest_, &next_, &last_}) rows->resize(row);
  numbers_.resize(static_cast<std::size_t>(spec().observation_size));
  env_->reset(latest_.data());
}

double Game::goal() const {
  return steps_ == spec().step_limit ? spec().solved_return
         : name_ == "CartPole-v0"    ? solved_v0 * steps_
                                     : std::numeric_limits<double>::infinity();
}

Episode Game::play(PolicyNet& net, placement::RandomGenerator& generator, bool sure) {
  Episode episode;
  bool over = false;
  while (!over) {
    envs::read_numbers(spec().storage, latest_.data(), spec().observation_size, numbers_.data());
    Observation seen(numbers_.begin(), numbers_.end());
    const auto p = net.forward(seen);
    const std::int32_t action =
        sure ? static_cast<std::int32_t>(std::max_element(p.begin(), p.end()) - p.begin())
             : drawn(p, generator);
    episode.observations.push_back(std::move(seen));
    episode.actions.push_back(action);
    float reward = 0;
    std::uint8_t terminated = 0, truncated = 0;
    env_->step({{&action, 1}, {}}, {next_.data(), &reward, &terminated, &truncated, last_.data()});
    std::swap(latest_, next_);
    episode.rewards.push_back(reward);
    over = envs::episode_over(terminated, truncated);
    if (!over && steps_ > 0 && static_cast<int>(episode.actions.size()) >= steps_) {
      env_->reset(latest_.data());
      over = true;
    }
  }
  return episode;
}

}  // namespace hone::trainers::episodic
