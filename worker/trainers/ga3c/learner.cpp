#include "worker/trainers/ga3c/learner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::ga3c {
namespace {

dense::Floats ones(const NetShape& shape) {
  return pack(shape, std::vector<float>(parameter_count(shape), 1.0F));
}

}  // namespace

Master::Master(const LearningRule& rule, const NetShape& shape, std::span<const float> weights,
               int readers_max)
    : rule_(rule),
      shape_(shape),
      master_(pack(shape, weights)),
      optimizer_(rule.optimizer, ones(shape)),
      board_(master_.size(), readers_max) {
  board_.publish(master_);
}

double Master::done() const {
  const auto frames = static_cast<double>(frames_.load(std::memory_order_relaxed));
  return std::min(frames / static_cast<double>(rule_.frames_total), 1.0);
}

LossWeights Master::loss_weights() const {
  auto weights = rule_.loss;
  weights.entropy = rule_.entropy.at(done());
  return weights;
}

void Master::apply(std::span<const float> gradient, const LearningMeter& batch) {
  const std::scoped_lock lock(mutex_);
  const double norm = optimizer_.step(master_, gradient, rule_.rate.at(done()));
  frames_.fetch_add(batch.samples, std::memory_order_relaxed);
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
  const auto& optimizer = optimizer_.state();
  State state{
      unpack(shape_, master_), unpack(shape_, optimizer.mean_square), {}, frames_, updates_};
  if (!optimizer.mean.empty()) state.mean = unpack(shape_, optimizer.mean);
  return state;
}

void Master::restore(const State& state) {
  master_ = pack(shape_, state.weights);
  Optimizer::State optimizer{{}, pack(shape_, state.mean_square), state.updates};
  if (!state.mean.empty()) optimizer.mean = pack(shape_, state.mean);
  optimizer_.restore(std::move(optimizer));
  frames_ = state.frames;
  updates_ = state.updates;
  board_.publish(master_);
}

Learner::Learner(const NetShape& shape, int samples_max, NetworkMaker networks, Master& master)
    : shape_(shape), master_(master), network_(networks.make(shape, samples_max)) {
  const auto rows = dense::padded(static_cast<std::size_t>(samples_max));
  observations_.resize(rows * static_cast<std::size_t>(shape.inputs));
  actions_.resize(rows);
  targets_.resize(rows);
  output_gradient_.resize(rows * static_cast<std::size_t>(shape.actions + 1));
}

void Learner::serve(std::span<const Piece> pieces, const WeightView& weights) {
  gather(pieces);
  const auto batch = compute_gradient(weights);
  master_.apply(network_->backward(weights.parameters, output_gradient_.data()), batch);
  // Only now: an agent that waits for its roll-out goes on with the weights it led to.
  for (const auto& piece : pieces) piece.rollout->piece_trained();
}

void Learner::gather(std::span<const Piece> pieces) {
  const auto size = static_cast<std::size_t>(shape_.inputs);
  std::size_t sample = 0;
  version_sum_ = 0;
  for (const auto& [rollout, column] : pieces) {
    const auto steps = static_cast<std::size_t>(rollout->steps);
    std::copy_n(rollout->actions(column).begin(), steps, &actions_[sample]);
    std::copy_n(rollout->returns(column).begin(), steps, &targets_[sample]);
    for (int t = 0; t < rollout->steps; ++t, ++sample) {
      std::copy_n(rollout->observation(t, column), size, &observations_[sample * size]);
      version_sum_ += static_cast<double>(rollout->version(t));
    }
  }
  samples_ = static_cast<int>(sample);
}

LearningMeter Learner::compute_gradient(const WeightView& weights) {
  const auto& rule = master_.rule();
  const auto loss = master_.loss_weights();
  dense::LossPlan plan;
  plan.outputs = network_->forward(weights.parameters, observations_.data(), samples_);
  plan.actions = actions_.data();
  plan.targets = targets_.data();
  plan.gradient = output_gradient_.data();
  plan.entropy = static_cast<float>(loss.entropy);
  plan.value = static_cast<float>(loss.value);
  plan.log_floor = static_cast<float>(loss.log_floor);
  plan.scale = rule.mean_loss ? 1.0F / static_cast<float>(samples_) : 1.0F;
  const auto sums = dense::best_kernels().loss(plan);
  LearningMeter batch;
  batch.samples = samples_;
  batch.loss = {sums.policy, sums.value, sums.entropy};
  batch.policy_lag = static_cast<double>(weights.version) * samples_ - version_sum_;
  return batch;
}

}  // namespace hone::ga3c
