#include "worker/train/continuous/sac_learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "worker/train/continuous/squashed.hpp"

namespace hone::sac {
namespace {

constexpr std::size_t twin_count = 2;
// The value output of a critic is its Q, and its one policy output is not used.
constexpr int critic_outputs = 1;

float value_of(const dense::Heads& heads, int row) {
  return heads.data[heads.actions * heads.stride + row];
}

dense::Floats first_floats(const nn::NetShape& shape, std::uint64_t seed) {
  return nn::pack(shape, first_weights(shape, nn::WeightStart::uniform, seed));
}

dense::Floats zeros_of(const nn::NetShape& shape) {
  return dense::Floats(nn::NetLayout(shape).size, 0.0F);
}

SacLearner::Trained trained(const nn::NetShape& shape, const dense::Floats& weights,
                            const nn::Optimizer& optimizer) {
  const auto& state = optimizer.state();
  return {nn::unpack(shape, weights), nn::unpack(shape, state.mean_square),
          nn::unpack(shape, state.mean)};
}

void restore_trained(const nn::NetShape& shape, const SacLearner::Trained& state,
                     std::int64_t updates, dense::Floats& weights, nn::Optimizer& optimizer) {
  weights = nn::pack(shape, state.weights);
  optimizer.restore({nn::pack(shape, state.mean), nn::pack(shape, state.mean_square), updates});
}

}  // namespace

nn::NetShape critic_shape(const nn::NetShape& policy) {
  auto shape = policy;
  shape.inputs = policy.inputs + policy.actions;
  shape.actions = critic_outputs;
  shape.policy = nn::Policy::categorical;
  return shape;
}

SacLearner::SacLearner(const SacRule& rule, const nn::NetShape& policy, std::uint64_t seed,
                       int rows_max)
    : rule_(rule),
      policy_shape_(policy),
      critic_shape_(critic_shape(policy)),
      policy_network_(nn::make_own_network(policy, rows_max)),
      policy_(first_floats(policy, seed)),
      policy_optimizer_(rule.optimizer, zeros_of(policy)),
      critics_{critic_of(~seed, rows_max), critic_of(~seed ^ 1, rows_max)},
      log_temperature_{std::log(rule.temperature)} {
  const auto rows = static_cast<std::size_t>(rows_max);
  const auto numbers = rows * static_cast<std::size_t>(policy.actions);
  noise_.resize(numbers);
  for (auto* floats : {&drawn_, &slopes_, &more_slopes_}) floats->resize(numbers);
  log_densities_.resize(rows);
  targets_.resize(rows);
  pairs_.resize(rows * static_cast<std::size_t>(critic_shape_.inputs));
  policy_gradient_.resize(dense::padded(rows) * static_cast<std::size_t>(policy.outputs()), 0.0F);
}

SacLearner::Critic SacLearner::critic_of(std::uint64_t seed, int rows_max) const {
  const auto cells = dense::padded(static_cast<std::size_t>(rows_max)) *
                     static_cast<std::size_t>(critic_shape_.outputs());
  auto weights = first_floats(critic_shape_, seed);
  return {nn::make_input_network(critic_shape_, rows_max), weights, weights,
          nn::Optimizer(rule_.optimizer, zeros_of(critic_shape_)), dense::Floats(cells, 0.0F)};
}

double SacLearner::temperature() const { return std::exp(log_temperature_.front()); }

void SacLearner::act(const float* observations, int rows, std::span<const double> noise,
                     std::span<float> actions) {
  const auto heads = policy_network_->forward(policy_, observations, rows);
  squash(heads, noise, actions, log_densities_);
}

dense::Heads SacLearner::draw(const float* observations, int rows, envs::Stream& random) {
  for (auto& number : noise_) number = random.normal();
  const auto heads = policy_network_->forward(policy_, observations, rows);
  squash(heads, noise_, drawn_, log_densities_);
  join(observations, drawn_.data(), rows);
  return heads;
}

void SacLearner::join(const float* observations, const float* actions, int rows) {
  const auto seen = policy_shape_.inputs;
  const auto each = policy_shape_.actions;
  float* pair = pairs_.data();
  for (int row = 0; row < rows; ++row, observations += seen, actions += each) {
    pair = std::copy_n(observations, seen, pair);
    pair = std::copy_n(actions, each, pair);
  }
}

void SacLearner::aim(const SacBatch& batch, envs::Stream& random) {
  draw(batch.next, batch.rows, random);
  for (auto& critic : critics_) {
    const auto heads = critic.network->forward(critic.target, pairs_.data(), batch.rows);
    const bool first = &critic == critics_.data();
    for (int row = 0; row < batch.rows; ++row) {
      const double value = value_of(heads, row);
      auto& target = targets_[static_cast<std::size_t>(row)];
      target = first ? value : std::min(target, value);
    }
  }
  const double cost = temperature();
  for (int row = 0; row < batch.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    targets_[i] =
        static_cast<double>(batch.rewards[row]) +
        static_cast<double>(batch.discounts[row]) * (targets_[i] - cost * log_densities_[i]);
  }
}

void SacLearner::train_critic(Critic& critic, const SacBatch& batch, double rate) {
  const auto heads = critic.network->forward(critic.online, pairs_.data(), batch.rows);
  float* slopes = critic.gradient.data();
  std::fill(critic.gradient.begin(), critic.gradient.end(), 0.0F);
  double loss = 0;
  double value = 0;
  for (int row = 0; row < batch.rows; ++row) {
    const double q = value_of(heads, row);
    const double error = q - targets_[static_cast<std::size_t>(row)];
    slopes[critic_outputs * heads.stride + row] = static_cast<float>(error / batch.rows);
    loss += error * error / 2;
    value += q;
  }
  if (&critic == critics_.data()) meter_.value += value / batch.rows;
  meter_.critic_loss += loss / batch.rows;
  diverged_ = diverged_ || !std::isfinite(loss);
  step(critic.optimizer, critic.online, critic.network->backward(critic.online, slopes), rate);
}

// Writes d min(Q1, Q2) / d action of each row to slopes_.
void SacLearner::slopes_of_lesser_value(int rows) {
  const nn::InputRange actions{policy_shape_.inputs, policy_shape_.actions};
  std::array<dense::Heads, twin_count> heads;
  for (std::size_t i = 0; i < twin_count; ++i)
    heads[i] = critics_[i].network->forward(critics_[i].online, pairs_.data(), rows);
  for (std::size_t i = 0; i < twin_count; ++i) {
    auto& slopes = critics_[i].gradient;
    std::fill(slopes.begin(), slopes.end(), 0.0F);
    for (int row = 0; row < rows; ++row) {
      const bool first = value_of(heads[0], row) <= value_of(heads[1], row);
      slopes[static_cast<std::size_t>(critic_outputs * heads[i].stride + row)] =
          first == (i == 0) ? 1.0F : 0.0F;
    }
    auto& out = i == 0 ? slopes_ : more_slopes_;
    critics_[i].network->input_gradient(critics_[i].online, slopes.data(), actions, out.data());
  }
  for (std::size_t i = 0; i < slopes_.size(); ++i) slopes_[i] += more_slopes_[i];
}

void SacLearner::train_policy(const SacBatch& batch, double rate, envs::Stream& random) {
  const auto heads = draw(batch.observations, batch.rows, random);
  slopes_of_lesser_value(batch.rows);
  policy_gradient({heads, noise_, drawn_, slopes_, temperature()}, policy_gradient_.data());
  const auto gradient = policy_network_->backward(policy_, policy_gradient_.data());
  meter_.gradient_norm += step(policy_optimizer_, policy_, gradient, rate);
}

void SacLearner::train_temperature(int rows, double rate) {
  double sum = 0;
  for (int row = 0; row < rows; ++row) sum += log_densities_[static_cast<std::size_t>(row)];
  const double mean = sum / rows;
  meter_.entropy -= mean;
  if (rule_.automatic && std::isfinite(mean))
    temperature_optimizer_.step(log_temperature_, {-(mean + rule_.target_entropy)}, rate);
}

void SacLearner::update(const SacBatch& batch, double rate, envs::Stream& random) {
  aim(batch, random);
  join(batch.observations, batch.actions, batch.rows);
  for (auto& critic : critics_) train_critic(critic, batch, rate);
  train_policy(batch, rate, random);
  train_temperature(batch.rows, rate);
  move_targets();
  ++updates_;
  ++meter_.updates;
  meter_.rate = rate;
}

double SacLearner::step(nn::Optimizer& optimizer, dense::Floats& weights,
                        std::span<const float> gradient, double rate) {
  const double norm = optimizer.step(weights, gradient, rate);
  diverged_ = diverged_ || !std::isfinite(norm);
  return norm;
}

void SacLearner::move_targets() {
  const auto share = static_cast<float>(rule_.target_rate);
  for (auto& critic : critics_)
    for (std::size_t i = 0; i < critic.target.size(); ++i)
      critic.target[i] += share * (critic.online[i] - critic.target[i]);
}

SacMeter SacLearner::take_meter() { return std::exchange(meter_, {}); }

SacLearner::State SacLearner::state() const {
  State state;
  state.policy = trained(policy_shape_, policy_, policy_optimizer_);
  for (std::size_t i = 0; i < twin_count; ++i) {
    state.critics[i] = trained(critic_shape_, critics_[i].online, critics_[i].optimizer);
    state.targets[i] = nn::unpack(critic_shape_, critics_[i].target);
  }
  state.log_temperature = log_temperature_.front();
  state.temperature_optimizer = temperature_optimizer_.state();
  state.updates = updates_;
  return state;
}

bool SacLearner::restore(const State& state) {
  restore_trained(policy_shape_, state.policy, state.updates, policy_, policy_optimizer_);
  for (std::size_t i = 0; i < twin_count; ++i) {
    auto& critic = critics_[i];
    restore_trained(critic_shape_, state.critics[i], state.updates, critic.online,
                    critic.optimizer);
    critic.target = nn::pack(critic_shape_, state.targets[i]);
  }
  log_temperature_ = {state.log_temperature};
  updates_ = state.updates;
  return std::isfinite(state.log_temperature) &&
         temperature_optimizer_.restore(state.temperature_optimizer, log_temperature_.size());
}

}  // namespace hone::sac
