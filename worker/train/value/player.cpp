#include "worker/train/value/player.hpp"

#include <algorithm>

#include "worker/train/value/q_loss.hpp"

namespace hone::q {
namespace {

constexpr std::int32_t by_network = -1;

}  // namespace

Player::Player(std::unique_ptr<envs::VecEnv> env, const PlayRule& rule)
    : env_(std::move(env)), rule_(rule), running_(static_cast<std::size_t>(env_->count())) {
  const auto count = static_cast<std::size_t>(env_->count());
  const auto size = static_cast<std::size_t>(env_->spec().row_floats());
  for (auto* rows : {&latest_, &next_, &last_}) rows->resize(count * size);
  rewards_.resize(count);
  terminated_.resize(count);
  truncated_.resize(count);
  actions_.resize(count);
  env_->reset(latest_.data());
}

double Player::epsilon(std::int64_t age) const {
  if (age < rule_.random_until) return 1;
  double sum = 0;
  for (int i = 0; i < count(); ++i)
    sum += rule_.exploration.epsilon(age, rule_.first + i, rule_.all);
  return sum / count();
}

void Player::choose(std::int64_t frame, std::int64_t age, const QOutputs& outputs) {
  bool any_by_network = false;
  for (int i = 0; i < count(); ++i) {
    // Two numbers for each action, whether they are needed or not.
    envs::Stream random(rule_.seed, envs::Purpose::exploration,
                        static_cast<std::uint64_t>(frame + rule_.first + i));
    const double bound =
        age < rule_.random_until ? 1 : rule_.exploration.epsilon(age, rule_.first + i, rule_.all);
    const bool explores = random.uniform() < bound;
    const double choice = random.uniform() * env_->spec().actions;
    actions_[static_cast<std::size_t>(i)] =
        explores ? static_cast<std::int32_t>(choice) : by_network;
    any_by_network = any_by_network || !explores;
  }
  if (!any_by_network) return;
  const auto heads = outputs(latest_.data(), count());
  for (int i = 0; i < count(); ++i) {
    auto& action = actions_[static_cast<std::size_t>(i)];
    if (action == by_network) action = greedy_action(heads, i);
  }
}

void Player::step(std::int64_t frame, std::int64_t age, const QOutputs& outputs,
                  replay::Memory& memory, rl::EpisodeLog& episodes) {
  choose(frame, age, outputs);
  env_->step({actions_, {}},
             {next_.data(), rewards_.data(), terminated_.data(), truncated_.data(), last_.data()});
  remember(memory);
  running_.step(rewards_, terminated_, truncated_, episodes);
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

rl::GroupState Player::state() const {
  const std::vector<double> zeros(static_cast<std::size_t>(count()), 0.0);
  return {env_->save(), {}, running_.returns(), running_.lengths(), zeros};
}

bool Player::restore(const rl::GroupState& state, replay::Memory& memory) {
  if (!running_.fits(state.running_returns, state.running_lengths)) return false;
  if (!env_->restore(state.environments, latest_.data())) return false;
  if (env_->spec().forgets) {
    for (std::size_t lane = 0; lane < actions_.size(); ++lane) memory.cut(lane);
    return true;
  }
  running_.restore(state.running_returns, state.running_lengths);
  return true;
}

}  // namespace hone::q
