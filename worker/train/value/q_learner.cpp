#include "worker/train/value/q_learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "worker/train/value/q_loss.hpp"

namespace hone::dqn {
namespace {

dense::Floats all_ones(const ga3c::NetShape& shape) {
  return ga3c::pack(shape, std::vector<float>(ga3c::parameter_count(shape), 1.0F));
}

}  // namespace

QLearner::QLearner(const QRule& rule, const ga3c::NetShape& shape, std::span<const float> weights,
                   int rows_max, ga3c::NetworkMaker networks)
    : rule_(rule),
      shape_(shape),
      network_(networks.make(shape, rows_max)),
      online_(ga3c::pack(shape, weights)),
      target_(online_),
      optimizer_(rule.optimizer, all_ones(shape)) {
  const auto rows = dense::padded(static_cast<std::size_t>(rows_max));
  best_.resize(rows);
  targets_.resize(rows);
  row_.resize(static_cast<std::size_t>(shape.actions));
  gradient_.resize(rows * static_cast<std::size_t>(shape.outputs()), 0.0F);
}

// Computes the targets of the batch.
void QLearner::aim(const QBatch& batch) {
  if (rule_.two_networks) {
    const auto heads = network_->forward(online_, batch.next, batch.rows);
    for (int row = 0; row < batch.rows; ++row)
      best_[static_cast<std::size_t>(row)] = greedy_action(heads, row);
  }
  const auto heads = network_->forward(target_, batch.next, batch.rows);
  for (int row = 0; row < batch.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const auto best = rule_.two_networks ? best_[i] : greedy_action(heads, row);
    q_values(heads, row, rule_.dueling, row_);
    targets_[i] = static_cast<double>(batch.rewards[row]) +
                  static_cast<double>(batch.discounts[row]) * row_[static_cast<std::size_t>(best)];
  }
}

void QLearner::update(const QBatch& batch, double rate, std::span<float> errors) {
  aim(batch);
  const auto heads = network_->forward(online_, batch.observations, batch.rows);
  QLossPlan plan;
  plan.outputs = heads;
  plan.actions = batch.actions;
  plan.targets = targets_.data();
  plan.weights = batch.weights;
  plan.dueling = rule_.dueling;
  plan.bound = rule_.bound;
  plan.gradient = gradient_.data();
  plan.errors = errors.data();
  const auto sums = q_loss(plan);
  const auto gradient = network_->backward(online_, gradient_.data());
  const double norm = optimizer_.step(online_, gradient, rate);
  if (!std::isfinite(norm) || !std::isfinite(sums.loss)) {
    diverged_ = true;
    return;
  }
  if (++updates_ % rule_.target_every == 0) move_target();
  ++meter_.updates;
  meter_.loss += sums.loss / batch.rows;
  meter_.value += sums.value / batch.rows;
  meter_.gradient_norm += norm;
  meter_.rate = rate;
}

void QLearner::move_target() {
  if (rule_.target_rate == 1) {
    target_ = online_;
    return;
  }
  const auto share = static_cast<float>(rule_.target_rate);
  for (std::size_t i = 0; i < target_.size(); ++i) target_[i] += share * (online_[i] - target_[i]);
}

QMeter QLearner::take_meter() { return std::exchange(meter_, {}); }

QLearner::State QLearner::state() const {
  const auto& optimizer = optimizer_.state();
  State state{ga3c::unpack(shape_, online_),
              ga3c::unpack(shape_, target_),
              ga3c::unpack(shape_, optimizer.mean_square),
              {},
              updates_};
  if (!optimizer.mean.empty()) state.mean = ga3c::unpack(shape_, optimizer.mean);
  return state;
}

void QLearner::restore(const State& state) {
  online_ = ga3c::pack(shape_, state.weights);
  target_ = ga3c::pack(shape_, state.target);
  ga3c::Optimizer::State optimizer{{}, ga3c::pack(shape_, state.mean_square), state.updates};
  if (!state.mean.empty()) optimizer.mean = ga3c::pack(shape_, state.mean);
  optimizer_.restore(std::move(optimizer));
  updates_ = state.updates;
}

}  // namespace hone::dqn
