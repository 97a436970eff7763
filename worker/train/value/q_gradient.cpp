#include "worker/train/value/q_gradient.hpp"

#include <algorithm>

#include "worker/train/value/q_loss.hpp"

namespace hone::q {

QGradient::QGradient(const QRule& rule, const nn::NetShape& shape, int rows_max,
                     const nn::NetworkMaker& networks)
    : rule_(rule), network_(networks.make(shape, rows_max)) {
  const auto rows = dense::padded(static_cast<std::size_t>(rows_max));
  best_.resize(rows);
  targets_.resize(rows);
  row_.resize(static_cast<std::size_t>(shape.actions));
  slopes_.resize(rows * static_cast<std::size_t>(shape.outputs()), 0.0F);
}

// Computes the targets of the batch.
void QGradient::aim(const QBatch& batch, std::span<const float> online,
                    std::span<const float> target) {
  if (rule_.two_networks) {
    const auto heads = network_->forward(online, batch.next, batch.rows);
    for (int row = 0; row < batch.rows; ++row)
      best_[static_cast<std::size_t>(row)] = greedy_action(heads, row);
  }
  const auto heads = network_->forward(target, batch.next, batch.rows);
  for (int row = 0; row < batch.rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const auto best = rule_.two_networks ? best_[i] : greedy_action(heads, row);
    q_values(heads, row, rule_.dueling, row_);
    targets_[i] = static_cast<double>(batch.rewards[row]) +
                  static_cast<double>(batch.discounts[row]) * row_[static_cast<std::size_t>(best)];
  }
}

QGradient::Step QGradient::compute(const QBatch& batch, std::span<const float> online,
                                   std::span<const float> target, std::span<float> errors) {
  aim(batch, online, target);
  const auto heads = network_->forward(online, batch.observations, batch.rows);
  QLossPlan plan;
  plan.outputs = heads;
  plan.actions = batch.actions;
  plan.targets = targets_.data();
  plan.weights = batch.weights;
  plan.dueling = rule_.dueling;
  plan.bound = rule_.bound;
  plan.gradient = slopes_.data();
  plan.errors = errors.data();
  const auto sums = q_loss(plan);
  return {network_->backward(online, slopes_.data()), sums.loss / batch.rows,
          sums.value / batch.rows};
}

void move_target(dense::Floats& target, std::span<const float> online, double share) {
  if (share == 1) {
    std::copy(online.begin(), online.end(), target.begin());
    return;
  }
  const auto part = static_cast<float>(share);
  for (std::size_t i = 0; i < target.size(); ++i) target[i] += part * (online[i] - target[i]);
}

}  // namespace hone::q
