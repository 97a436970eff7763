#include "worker/train/continuous/sac_player.hpp"

#include <utility>

namespace hone::sac {

SacPlayer::SacPlayer(std::unique_ptr<envs::VecEnv> env, const SacPlayRule& rule)
    : env_(std::move(env)),
      rule_(rule),
      each_(static_cast<std::size_t>(env_->spec().actions)),
      running_(static_cast<std::size_t>(env_->count())) {
  const auto count = static_cast<std::size_t>(env_->count());
  const auto size = static_cast<std::size_t>(env_->spec().row_floats());
  for (auto* rows : {&latest_, &next_, &last_}) rows->resize(count * size);
  rewards_.resize(count);
  terminated_.resize(count);
  truncated_.resize(count);
  actions_.resize(count * each_);
  noise_.resize(count * each_);
  env_->reset(latest_.data());
}

void SacPlayer::choose_at_random(std::int64_t frame) {
  const auto step = frame / count() / rule_.random_hold;
  for (std::int64_t i = 0; i < count(); ++i) {
    envs::Stream random(rule_.seed, envs::Purpose::exploration,
                        static_cast<std::uint64_t>(step * count() + i));
    for (std::size_t d = 0; d < each_; ++d)
      actions_[static_cast<std::size_t>(i) * each_ + d] = static_cast<float>(random.uniform(-1, 1));
  }
}

void SacPlayer::choose(std::int64_t frame, SacLearner& learner) {
  if (frame < rule_.random_until) return choose_at_random(frame);
  for (std::int64_t i = 0; i < count(); ++i) {
    envs::Stream random(rule_.seed, envs::Purpose::action, static_cast<std::uint64_t>(frame + i));
    for (std::size_t d = 0; d < each_; ++d)
      noise_[static_cast<std::size_t>(i) * each_ + d] = random.normal();
  }
  learner.act(latest_.data(), count(), noise_, actions_);
}

void SacPlayer::step(std::int64_t frame, SacLearner& learner, replay::Memory& memory,
                     rl::EpisodeLog& episodes) {
  choose(frame, learner);
  env_->step({{}, actions_},
             {next_.data(), rewards_.data(), terminated_.data(), truncated_.data(), last_.data()});
  remember(memory);
  running_.step(rewards_, terminated_, truncated_, episodes);
  std::swap(latest_, next_);
}

void SacPlayer::remember(replay::Memory& memory) {
  const auto size = static_cast<std::size_t>(env_->spec().row_floats());
  for (std::size_t i = 0; i < rewards_.size(); ++i) {
    replay::Experience step;
    step.observation = latest_.data() + i * size;
    step.action = std::span(actions_).subspan(i * each_, each_);
    step.reward = static_cast<float>(rule_.reward_scale) * rewards_[i];
    if (truncated_[i] != 0) step.ending = replay::Ending::truncated;
    if (terminated_[i] != 0) step.ending = replay::Ending::terminated;
    step.last = last_.data() + i * size;
    memory.append(i, step);
  }
}

rl::GroupState SacPlayer::state() const {
  const std::vector<double> zeros(rewards_.size(), 0.0);
  return {env_->save(), {}, running_.returns(), running_.lengths(), zeros};
}

bool SacPlayer::restore(const rl::GroupState& state, replay::Memory& memory) {
  if (!running_.fits(state.running_returns, state.running_lengths)) return false;
  if (!env_->restore(state.environments, latest_.data())) return false;
  if (env_->spec().forgets) {
    for (std::size_t lane = 0; lane < rewards_.size(); ++lane) memory.cut(lane);
    return true;
  }
  running_.restore(state.running_returns, state.running_lengths);
  return true;
}

}  // namespace hone::sac
