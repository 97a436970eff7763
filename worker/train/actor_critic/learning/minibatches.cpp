#include "worker/train/actor_critic/learning/minibatches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "worker/train/actor_critic/learning/log_chances.hpp"
#include "worker/train/envs/core/stream.hpp"
#include "worker/train/nn/gaussian.hpp"

namespace hone::ac {
namespace {

// How far beyond the target the divergence may be: the factor that implementations of PPO share.
constexpr double kl_slack = 1.5;

}  // namespace

double approximate_kl(std::span<const float> log_chances, std::span<const float> old_log_chances) {
  double sum = 0;
  for (std::size_t i = 0; i < log_chances.size(); ++i) {
    const double log_ratio = double{log_chances[i]} - double{old_log_chances[i]};
    sum += std::exp(log_ratio) - 1 - log_ratio;
  }
  return sum / static_cast<double>(log_chances.size());
}

void normalize(std::span<float> advantages) {
  if (advantages.size() < 2) return;
  const auto count = static_cast<double>(advantages.size());
  const double mean = std::accumulate(advantages.begin(), advantages.end(), 0.0) / count;
  double squares = 0;
  for (const float a : advantages) squares += (a - mean) * (a - mean);
  const double deviation = std::sqrt(squares / (count - 1)) + 1e-8;
  for (float& a : advantages) a = static_cast<float>((a - mean) / deviation);
}

MinibatchLearner::MinibatchLearner(const nn::NetShape& shape, int samples_max,
                                   const nn::NetworkMaker& networks, ParameterServer& server,
                                   std::uint64_t seed)
    : shape_(shape), server_(server), seed_(seed) {
  const auto all = static_cast<std::size_t>(samples_max);
  const auto parts = static_cast<std::size_t>(server.rule().minibatches.count);
  const auto rows_max = (all + parts - 1) / parts;
  const auto rows = dense::padded(rows_max);
  network_ = networks.make(shape, static_cast<int>(rows_max));
  actions_.resize(rows);
  numbers_.resize(rows * static_cast<std::size_t>(shape.deviations()));
  for (auto* column : {&targets_, &advantages_, &log_chances_, &new_log_chances_, &old_values_})
    column->resize(rows);
  output_gradient_.resize(rows * static_cast<std::size_t>(shape.outputs()));
  samples_.reserve(all);
}

void MinibatchLearner::train(std::span<const Piece> pieces) {
  collect(pieces);
  const auto& rule = server_.rule().minibatches;
  const auto count = samples_.size();
  const auto parts = std::min(static_cast<std::size_t>(rule.count), count);
  std::size_t trained = 0;
  bool continues = true;
  for (int epoch = 0; epoch < server_.rule().epochs && continues; ++epoch) {
    shuffle();
    for (std::size_t part = 0; part < parts && continues; ++part) {
      const auto first = part * count / parts;
      const auto end = (part + 1) * count / parts;
      continues = update(std::span(order_).subspan(first, end - first)) && !server_.diverged();
      if (continues) trained += end - first;
    }
  }
  // The annealing follows the frames that were played.
  const auto due = count * static_cast<std::size_t>(server_.rule().epochs);
  if (!server_.diverged()) server_.skip(static_cast<std::int64_t>(due - trained));
}

void MinibatchLearner::collect(std::span<const Piece> pieces) {
  samples_.clear();
  for (const auto& [rollout, column] : pieces)
    for (int t = 0; t < rollout->steps; ++t) {
      const auto step = static_cast<std::size_t>(t);
      samples_.push_back({rollout->observation(t, column), rollout->numbers(t, column).data(),
                          rollout->actions(column)[step], rollout->returns(column)[step],
                          rollout->advantages(column)[step], rollout->log_chances(column)[step],
                          static_cast<double>(rollout->version(t))});
    }
  order_.resize(samples_.size());
  std::iota(order_.begin(), order_.end(), 0U);
}

void MinibatchLearner::shuffle() {
  envs::Stream random(seed_, envs::Purpose::minibatches,
                      static_cast<std::uint64_t>(server_.updates()));
  for (auto left = order_.size(); left > 1; --left)
    std::swap(order_[left - 1],
              order_[static_cast<std::size_t>(random.uniform() * static_cast<double>(left))]);
}

void MinibatchLearner::gather(std::span<const std::uint32_t> chosen) {
  const auto size = static_cast<std::size_t>(shape_.input_floats());
  const auto each = static_cast<std::size_t>(shape_.deviations());
  rows_ = static_cast<int>(chosen.size());
  version_sum_ = 0;
  float* observations = network_->input();
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    const auto& sample = samples_[chosen[row]];
    observations = std::copy_n(sample.observation, size, observations);
    if (each > 0) std::copy_n(sample.numbers, each, &numbers_[row * each]);
    actions_[row] = sample.action;
    targets_[row] = sample.target;
    advantages_[row] = sample.advantage;
    log_chances_[row] = sample.log_chance;
    old_values_[row] = sample.target - sample.advantage;
    version_sum_ += sample.version;
  }
  if (server_.rule().minibatches.normalize) normalize(std::span(advantages_).first(chosen.size()));
}

bool MinibatchLearner::update(std::span<const std::uint32_t> chosen) {
  gather(chosen);
  const auto reading = server_.weights().read();
  const auto outputs = network_->forward(reading.view(), network_->input(), rows_);
  note_log_chances(shape_, outputs, actions_.data(), numbers_.data(), new_log_chances_.data());
  const double kl = approximate_kl(std::span(new_log_chances_).first(chosen.size()),
                                   std::span(log_chances_).first(chosen.size()));
  const double target = server_.rule().minibatches.kl_stop;
  if (target > 0 && kl > kl_slack * target) return false;
  const auto sums = loss_of(outputs);
  LearningMeter meter;
  meter.samples = rows_;
  meter.loss = {sums.policy, sums.value, sums.entropy};
  meter.policy_lag = static_cast<double>(reading.version()) * rows_ - version_sum_;
  meter.kl = kl * rows_;
  server_.apply(network_->backward(reading.parameters(), output_gradient_.data()), meter);
  return true;
}

dense::LossSums MinibatchLearner::loss_of(const dense::Heads& outputs) {
  const auto loss = server_.loss_weights();
  dense::LossPlan plan;
  plan.outputs = outputs;
  plan.actions = actions_.data();
  plan.targets = targets_.data();
  plan.gradient = output_gradient_.data();
  plan.entropy = static_cast<float>(loss.entropy);
  plan.value = static_cast<float>(loss.value);
  plan.scale = 1.0F / static_cast<float>(rows_);
  plan.advantages = advantages_.data();
  plan.log_chances = log_chances_.data();
  plan.ratio_clip = static_cast<float>(loss.ratio_clip);
  auto sums = shape_.policy == nn::Policy::categorical ? dense::best_kernels().loss(plan)
                                                       : nn::gaussian_loss(plan, numbers_.data());
  if (server_.rule().minibatches.value_clip > 0) clip_values(outputs, loss.value, sums);
  return sums;
}

// The value loss becomes the larger of that of the value and that of the value clipped to the one
// predicted in play: where the clipped one is larger, nothing is learned.
void MinibatchLearner::clip_values(const dense::Heads& outputs, double weight,
                                   dense::LossSums& sums) {
  const double clip = server_.rule().minibatches.value_clip;
  const auto row_of_values = outputs.actions * outputs.stride;
  for (int row = 0; row < rows_; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const double target = targets_[i];
    const double old = old_values_[i];
    const double value = outputs.data[row_of_values + row];
    const double clipped = old + std::clamp(value - old, -clip, clip);
    const double more =
        (target - clipped) * (target - clipped) - (target - value) * (target - value);
    if (more <= 0) continue;
    output_gradient_[static_cast<std::size_t>(row_of_values + row)] = 0;
    sums.value += weight * more;
  }
}

}  // namespace hone::ac
