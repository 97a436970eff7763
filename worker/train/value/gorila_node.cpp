#include "worker/train/value/gorila_node.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "worker/train/nn/kernels/kernels.hpp"
#include "worker/train/replay/checkpoint.hpp"
#include "worker/train/rl/model.hpp"
#include "worker/train/value/q_training.hpp"

namespace hone::q {
namespace {

PlayRule play_rule(const Options& options, int first) {
  return {options.exploration, options.learning_starts, options.reward_clip, options.seed, first,
          options.envs};
}

// More than any run has: counts of a damaged file must not overflow.
constexpr std::int64_t count_max = std::int64_t{1} << 48;

}  // namespace

GorilaNode::GorilaNode(const Options& options, std::unique_ptr<envs::VecEnv> env, int index,
                       std::size_t shards)
    : options_(options),
      index_(index),
      transitions_(replay::make_index(options.index, options.memory.slots)),
      memory_(options.memory, *transitions_),
      player_(std::move(env), play_rule(options, index * static_cast<int>(options.memory.lanes))),
      q_(options.learning, options.net, std::max(options.batch, player_.count()), options.networks),
      outputs_([this](const float* observations, int rows) {
        return q_.outputs(weights_, observations, rows);
      }),
      batch_(options),
      filter_(options.gorila.deviations),
      weights_(
          nn::pack(options.net, first_weights(options.net, options.weight_start, options.seed))),
      target_(weights_),
      gradient_(weights_.size()),
      versions_(shards) {}

void GorilaNode::run(GorilaLink& link, rl::EpisodeLog& episodes) {
  while (const int steps = link.claim(player_.count(), options_.apex.steps)) {
    pull(link);
    for (int i = 0; i < steps; ++i) {
      age_ = link.count(player_.count());
      player_.step(played_++ * options_.envs, age_ - player_.count(), outputs_, memory_, episodes);
      replay_size_ = transitions_->size();
      train(link);
    }
  }
}

// Moves the target network when the server has made `target_every` more updates.
void GorilaNode::pull(GorilaLink& link) {
  link.pull(weights_, versions_);
  const auto updates = versions_.front();
  const auto every = options_.learning.target_every;
  if (updates / every != seen_ / every)
    move_target(target_, weights_, options_.learning.target_rate);
  seen_ = updates;
}

double GorilaNode::done() const {
  return std::min(static_cast<double>(age_) / static_cast<double>(options_.frames_total), 1.0);
}

void GorilaNode::train(GorilaLink& link) {
  if (age_ - joined_ > options_.learning_starts) due_ += player_.count();
  if (transitions_->size() < batch_.size()) due_ = 0;  // not to be made up for later
  for (; due_ >= options_.train_every; due_ -= options_.train_every)
    for (int i = 0; i < options_.updates; ++i) learn(link);
}

void GorilaNode::learn(GorilaLink& link) {
  pull(link);
  const auto draw = draws_++ * options_.apex.actors + index_;
  envs::Stream random(options_.seed, envs::Purpose::replay, static_cast<std::uint64_t>(draw));
  const auto rows = batch_.draw(memory_, *transitions_, random, options_.beta.at(done()));
  const auto step = q_.compute(rows, weights_, target_, batch_.errors());
  const auto count = static_cast<std::int64_t>(step.gradient.size());
  const double norm = std::sqrt(dense::best_kernels().square_sum(step.gradient.data(), count));
  const bool finite = std::isfinite(norm) && std::isfinite(step.loss);
  if (finite) batch_.set_priorities(*transitions_);
  const bool outlier = finite && !filter_.admits(step.loss);
  const double clip = options_.learning.optimizer.clip;
  const auto scale = static_cast<float>(clip > 0 && norm > clip ? clip / norm : 1.0);
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = scale * step.gradient[i];
  link.push({gradient_, versions_, options_.rate.at(done()), step.loss, step.value,
             finite ? norm : std::nan(""), outlier});
}

rl::GroupState GorilaNode::state() const {
  auto state = player_.state();
  const auto& losses = filter_.state();
  for (const auto number : {played_, draws_, due_, seen_, losses.count})
    state.streams.push_back(static_cast<std::uint64_t>(number));
  for (const double number : {losses.mean, losses.variance})
    state.streams.push_back(std::bit_cast<std::uint64_t>(number));
  return state;
}

std::string node_prefix(const char* name, int index) {
  return name + (index == 0 ? "" : std::to_string(index + 1)) + ".";
}

void GorilaNode::put_tensors(trainers::TensorFile& file) const {
  rl::put_parts(file, options_.net, nn::unpack(options_.net, target_),
                node_prefix("target", index_));
  if (options_.checkpoint_replay)
    put_replay(memory_, *transitions_, file, node_prefix("replay", index_));
}

std::string GorilaNode::take_tensors(const trainers::TensorFile& file) {
  const auto target = rl::take_parts(file, options_.net, node_prefix("target", index_));
  if (!target) return "network";
  target_ = nn::pack(options_.net, *target);
  const bool taken = take_replay(file, actions_of(options_), *transitions_, memory_,
                                 node_prefix("replay", index_));
  replay_size_ = transitions_->size();
  return taken ? "" : "replay memory";
}

std::string GorilaNode::restore(const rl::GroupState& state) {
  const auto& words = state.streams;
  if (words.size() != 7 || !player_.restore(state, memory_)) return "number of environments";
  const auto number = [&](std::size_t i) { return std::bit_cast<std::int64_t>(words[i]); };
  for (std::size_t i = 0; i < 5; ++i)
    if (number(i) < 0 || number(i) > count_max) return "count";
  const auto real = [&](std::size_t i) { return std::bit_cast<double>(words[i]); };
  if (number(2) > number(0) * player_.count()) return "count";  // each is of an update that waits
  if (!filter_.restore({number(4), real(5), real(6)})) return "running mean of losses";
  played_ = number(0);
  draws_ = number(1);
  due_ = number(2);
  seen_ = number(3);
  return {};
}

void GorilaNode::join(GorilaLink& link, std::int64_t steps) {
  link.pull(weights_, versions_);
  target_ = weights_;
  seen_ = versions_.front();
  played_ = std::max(played_, steps);
  joined_ = steps * options_.envs;
  draws_ = std::max(draws_, steps * player_.count() * options_.updates);
}

}  // namespace hone::q
