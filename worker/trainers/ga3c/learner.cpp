#include "worker/trainers/ga3c/learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::ga3c {

Master::Master(const LearningRule& rule, std::vector<float> weights, int readers_max)
    : rule_(rule),
      master_(std::move(weights)),
      optimizer_(rule.optimizer, master_.size()),
      board_(master_.size(), readers_max) {
  board_.publish(master_);
}

double Master::rate() const {
  const double done = static_cast<double>(frames_) / static_cast<double>(rule_.frames_total);
  return rule_.rate_start + (rule_.rate_end - rule_.rate_start) * std::min(done, 1.0);
}

void Master::apply(std::span<const float> gradient, const LearningMeter& batch) {
  const std::scoped_lock lock(mutex_);
  const double norm = optimizer_.step(master_, gradient, rate());
  frames_ += batch.samples;
  if (!std::isfinite(norm) || !std::isfinite(batch.loss.policy + batch.loss.value)) {
    const auto last = board_.read();  // what the others saw last is still sound
    std::copy(last.parameters().begin(), last.parameters().end(), master_.begin());
    diverged_.store(true, std::memory_order_relaxed);
    return;
  }
  ++updates_;
  board_.publish(master_);

  ++meter_.updates;
  meter_.samples += batch.samples;
  meter_.loss.policy += batch.loss.policy;
  meter_.loss.value += batch.loss.value;
  meter_.loss.entropy += batch.loss.entropy;
  meter_.gradient_norm += norm;
  meter_.policy_lag += batch.policy_lag;
}

LearningMeter Master::take_meter() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(meter_, {});
}

Master::State Master::state() const {
  const auto mean_square = optimizer_.mean_square();
  return {master_, {mean_square.begin(), mean_square.end()}, frames_, updates_};
}

void Master::restore(const State& state) {
  master_ = state.weights;
  std::copy(state.mean_square.begin(), state.mean_square.end(), optimizer_.mean_square().begin());
  frames_ = state.frames;
  updates_ = state.updates;
  board_.publish(master_);
}

Learner::Learner(const NetShape& shape, int samples_max, Master& master)
    : shape_(shape), master_(master), network_(make_mlp(shape, samples_max)) {
  const auto rows = static_cast<std::size_t>(samples_max);
  observations_.resize(rows * static_cast<std::size_t>(shape.inputs));
  actions_.resize(rows);
  targets_.resize(rows);
  versions_.resize(rows);
  output_gradient_.resize(rows * static_cast<std::size_t>(shape.actions + 1));
}

void Learner::serve(std::span<const Piece> pieces) {
  gather(pieces);
  LearningMeter batch;
  compute_gradient(batch);
  // Only now: an agent that waits for its roll-out goes on with the weights it led to.
  for (const auto& piece : pieces) piece.rollout->piece_trained();
}

void Learner::gather(std::span<const Piece> pieces) {
  samples_ = 0;
  float* row = observations_.data();
  for (const auto& [rollout, column] : pieces) {
    const auto actions = rollout->actions(column);
    const auto returns = rollout->returns(column);
    for (int t = 0; t < rollout->steps; ++t, ++samples_) {
      row = std::copy_n(rollout->observation(t, column), shape_.inputs, row);
      actions_[samples_] = actions[static_cast<std::size_t>(t)];
      targets_[samples_] = returns[static_cast<std::size_t>(t)];
      versions_[samples_] = rollout->version(t);
    }
  }
}

void Learner::compute_gradient(LearningMeter& batch) {
  const auto weights = master_.weights().read();
  const auto outputs =
      network_->forward(weights.parameters(), observations_.data(), static_cast<int>(samples_));
  const auto& rule = master_.rule();
  const double scale = rule.mean_loss ? 1.0 / static_cast<double>(samples_) : 1.0;
  const auto actions = static_cast<std::size_t>(shape_.actions);
  const auto gradient = std::span(output_gradient_).first(samples_ * (actions + 1));
  for (std::size_t i = 0; i < samples_; ++i) {
    const auto row = outputs.subspan(i * (actions + 1), actions + 1);
    softmax(row.first(actions), row.first(actions));
    const Outputs output{row.first(actions), row[actions]};
    const Sample sample{actions_[i], targets_[i], targets_[i] - output.value};
    const auto terms = sample_loss(output, sample, rule.loss,
                                   gradient.subspan(i * (actions + 1), actions + 1), scale);
    batch.loss.policy += terms.policy;
    batch.loss.value += terms.value;
    batch.loss.entropy += terms.entropy;
    batch.policy_lag += static_cast<double>(weights.version() - versions_[i]);
  }
  batch.samples = static_cast<std::int64_t>(samples_);
  master_.apply(network_->backward(weights.parameters(), gradient), batch);
}

}  // namespace hone::ga3c
