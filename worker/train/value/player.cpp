#include "worker/train/value/player.hpp"

#include <algorithm>

#include "worker/train/value/q_loss.hpp"

namespace hone::dqn {
namespace {

constexpr std::int32_t by_network = -1;

}  // namespace

Player::Player(std::unique_ptr<envs::VecEnv> env, const PlayRule& rule)
    : env_(std::move(env)), rule_(rule) {
  const auto count = static_cast<std::size_t>(env_->count());
  const auto size = static_cast<std::size_t>(env_->spec().row_floats());
  for (auto* rows : {&latest_, &next_, &last_}) rows->resize(count * size);
  rewards_.resize(count);
  terminated_.resize(count);
  truncated_.resize(count);
  actions_.resize(count);
  running_returns_.resize(count);
  running_lengths_.resize(count);
  env_->reset(latest_.data());
}

double Player::epsilon(std::int64_t frame) const {
  if (frame < rule_.random_until) return 1;
  double sum = 0;
  for (int i = 0; i < count(); ++i) sum += rule_.exploration.epsilon(frame, i, count());
  return sum / count();
}

void Player::choose(std::int64_t frame, QLearner& learner) {
  bool any_by_network = false;
  for (int i = 0; i < count(); ++i) {
    // Two numbers for each action, whether they are needed or not.
    envs::Stream random(rule_.seed, envs::Purpose::exploration,
                        static_cast<std::uint64_t>(frame + i));
    const double bound =
        frame < rule_.random_until ? 1 : rule_.exploration.epsilon(frame, i, count());
    const bool explores = random.uniform() < bound;
    const double choice = random.uniform() * env_->spec().actions;
    actions_[static_cast<std::size_t>(i)] =
        explores ? static_cast<std::int32_t>(choice) : by_network;
    any_by_network = any_by_network || !explores;
  }
  if (!any_by_network) return;
  const auto heads = learner.outputs(latest_.data(), count());
  for (int i = 0; i < count(); ++i) {
    auto& action = actions_[static_cast<std::size_t>(i)];
    if (action == by_network) action = greedy_action(heads, i);
  }
}

void Player::step(std::int64_t frame, QLearner& learner, replay::Memory& memory,
                  ga3c::EpisodeLog& episodes) {
  choose(frame, learner);
  env_->step({actions_, {}},
             {next_.data(), rewards_.data(), terminated_.data(), truncated_.data(), last_.data()});
  remember(memory);
  end_episodes(episodes);
  std::swap(latest_, next_);
}

void Player::remember(replay::Memory& memory) {
  const auto size = static_cast<std::size_t>(env_->spec().row_floats());
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    const auto action = static_cast<float>(actions_[i]);
    replay::Experience step;
    step.observation = latest_.data() + i * size;
    step.action = {&action, 1};
    step.reward = rewards_[i];
    if (rule_.reward_clip > 0) {
      const auto clip = static_cast<float>(rule_.reward_clip);
      step.reward = std::clamp(step.reward, -clip, clip);
    }
    if (truncated_[i] != 0) step.ending = replay::Ending::truncated;
    if (terminated_[i] != 0) step.ending = replay::Ending::terminated;
    step.last = last_.data() + i * size;
    memory.append(i, step);
  }
}

void Player::end_episodes(ga3c::EpisodeLog& episodes) {
  finished_.clear();
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    running_returns_[i] += static_cast<double>(rewards_[i]);
    running_lengths_[i] += 1;
    if (terminated_[i] == 0 && truncated_[i] == 0) continue;
    finished_.push_back({running_returns_[i], running_lengths_[i]});
    running_returns_[i] = 0;
    running_lengths_[i] = 0;
  }
  if (!finished_.empty()) episodes.finish(finished_);
}

ga3c::EnvGroup::State Player::state() const {
  const std::vector<double> zeros(running_returns_.size(), 0.0);
  return {env_->save(), {}, running_returns_, running_lengths_, zeros};
}

bool Player::restore(const ga3c::EnvGroup::State& state, replay::Memory& memory) {
  if (state.running_returns.size() != running_returns_.size() ||
      state.running_lengths.size() != running_lengths_.size())
    return false;
  if (!env_->restore(state.environments, latest_.data())) return false;
  if (env_->spec().forgets) {
    for (std::size_t lane = 0; lane < running_returns_.size(); ++lane) memory.cut(lane);
    return true;
  }
  running_returns_ = state.running_returns;
  running_lengths_ = state.running_lengths;
  return true;
}

}  // namespace hone::dqn
