#include "worker/train/value/apex_actor.hpp"

#include <algorithm>

#include "worker/train/value/q_loss.hpp"

namespace hone::q {

ApexChunk::ApexChunk(std::size_t environments_count, std::size_t steps_max, std::size_t row_floats)
    : environments(environments_count), row(row_floats) {
  const auto cells = environments * steps_max;
  observations.resize(cells * row);
  last.resize(cells * row);
  actions.resize(cells);
  rewards.resize(cells);
  endings.resize(cells);
  error_counts.resize(cells);
}

void store(const ApexChunk& chunk, replay::Memory& memory) {
  std::span<const double> errors = chunk.errors;
  for (std::size_t cell = 0; cell < chunk.steps * chunk.environments; ++cell) {
    const auto action = static_cast<float>(chunk.actions[cell]);
    replay::Experience step;
    step.observation = &chunk.observations[cell * chunk.row];
    step.action = {&action, 1};
    step.reward = chunk.rewards[cell];
    step.ending = chunk.endings[cell];
    step.last = &chunk.last[cell * chunk.row];
    const auto completed = chunk.error_counts[cell];
    memory.append(chunk.first_lane + cell % chunk.environments, step, errors.first(completed));
    errors = errors.subspan(completed);
  }
}

ApexActor::ApexActor(const Options& options, std::unique_ptr<envs::VecEnv> env, int index)
    : options_(options),
      env_(std::move(env)),
      index_(index),
      count_(static_cast<std::size_t>(env_->count())),
      row_(static_cast<std::size_t>(env_->spec().row_floats())),
      network_(options.networks.make(options.net, env_->count())),
      pending_(count_, FirstErrors(options.memory.steps, options.memory.gamma)),
      completed_(count_),
      running_(count_) {
  for (auto* rows : {&latest_, &next_, &last_}) rows->resize(count_ * row_);
  rewards_.resize(count_);
  values_.resize(static_cast<std::size_t>(options.net.actions));
  chosen_values_.resize(count_);
  actions_.resize(count_);
  terminated_.resize(count_);
  truncated_.resize(count_);
  for (int i = 0; i < options.apex.slots; ++i) {
    chunks_.push_back(
        std::make_unique<ApexChunk>(count_, static_cast<std::size_t>(options.apex.steps), row_));
    chunks_.back()->first_lane = static_cast<std::size_t>(index) * count_;
  }
  env_->reset(latest_.data());
}

void ApexActor::play(ApexLink& link, rl::EpisodeLog& episodes) {
  for (auto& pending : pending_) pending.clear();  // the lanes of the memory are cut as well
  std::size_t next_chunk = 0;
  while (const int steps = link.claim(env_->count(), options_.apex.steps)) {
    auto& chunk = *chunks_[next_chunk++ % chunks_.size()];
    chunk.wait_until_stored();
    chunk.version = link.fetch(weights_);
    chunk.errors.clear();
    chunk.steps = static_cast<std::size_t>(steps);
    for (std::size_t t = 0; t < chunk.steps; ++t) step(chunk, t, episodes);
    link.hand_over(chunk);
  }
  for (auto& chunk : chunks_) chunk->wait_until_stored();
}

void ApexActor::step(ApexChunk& chunk, std::size_t t, rl::EpisodeLog& episodes) {
  choose();
  ++played_;
  env_->step({actions_, {}},
             {next_.data(), rewards_.data(), terminated_.data(), truncated_.data(), last_.data()});
  note(chunk, t);
  running_.step(rewards_, terminated_, truncated_, episodes);
  std::swap(latest_, next_);
}

void ApexActor::choose() {
  const auto all = static_cast<std::uint64_t>(options_.envs);
  const auto heads = network_->forward(weights_, latest_.data(), env_->count());
  for (std::size_t i = 0; i < count_; ++i) {
    const auto lane = static_cast<std::size_t>(index_) * count_ + i;
    const auto frame = played_ * all;
    envs::Stream random(options_.seed, envs::Purpose::exploration, frame + lane);
    const bool begins = static_cast<std::int64_t>(frame) < options_.learning_starts;
    const double bound = begins
                             ? 1
                             : options_.exploration.epsilon(static_cast<std::int64_t>(frame),
                                                            static_cast<int>(lane), options_.envs);
    const bool explores = random.uniform() < bound;
    const double choice = random.uniform() * options_.net.actions;
    const auto best = greedy_action(heads, static_cast<int>(i));
    actions_[i] = explores ? static_cast<std::int32_t>(choice) : best;
    q_values(heads, static_cast<int>(i), options_.learning.dueling, values_);
    completed_[i].clear();
    pending_[i].reach(values_[static_cast<std::size_t>(best)], completed_[i]);
    chosen_values_[i] = values_[static_cast<std::size_t>(actions_[i])];
  }
}

double ApexActor::best_value(const float* observation) {
  const auto heads = network_->forward(weights_, observation, 1);
  q_values(heads, 0, options_.learning.dueling, values_);
  return *std::max_element(values_.begin(), values_.end());
}

void ApexActor::note(ApexChunk& chunk, std::size_t t) {
  const auto first = t * count_;
  const auto clip = static_cast<float>(options_.reward_clip);
  std::copy(latest_.begin(), latest_.end(),
            chunk.observations.begin() + static_cast<std::ptrdiff_t>(first * row_));
  for (std::size_t i = 0; i < count_; ++i) {
    const auto cell = first + i;
    const float reward = clip > 0 ? std::clamp(rewards_[i], -clip, clip) : rewards_[i];
    chunk.actions[cell] = actions_[i];
    chunk.rewards[cell] = reward;
    chunk.endings[cell] = replay::Ending::none;
    pending_[i].step(chosen_values_[i], static_cast<double>(reward));
    if (terminated_[i] != 0) {
      chunk.endings[cell] = replay::Ending::terminated;
      pending_[i].end(0, completed_[i]);
    } else if (truncated_[i] != 0) {
      chunk.endings[cell] = replay::Ending::truncated;
      std::copy_n(&last_[i * row_], row_, &chunk.last[cell * row_]);
      pending_[i].end(best_value(&last_[i * row_]), completed_[i]);
    }
    chunk.error_counts[cell] = completed_[i].size();
    chunk.errors.insert(chunk.errors.end(), completed_[i].begin(), completed_[i].end());
  }
}

rl::GroupState ApexActor::state() const {
  const std::vector<double> zeros(count_, 0.0);
  return {env_->save(), {played_}, running_.returns(), running_.lengths(), zeros};
}

bool ApexActor::restore(const rl::GroupState& state) {
  if (state.streams.size() != 1) return false;
  if (!running_.fits(state.running_returns, state.running_lengths)) return false;
  if (!env_->restore(state.environments, latest_.data())) return false;
  played_ = state.streams.front();
  if (!env_->spec().forgets) running_.restore(state.running_returns, state.running_lengths);
  return true;
}

}  // namespace hone::q
