#include "worker/train/actor_critic/learning/learner.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "worker/train/nn/gaussian.hpp"

namespace hone::ac {
namespace {

// Tries for about a microsecond before it waits: threads that meet here every few microseconds
// would spend more time in sleeping and waking than in the update.
std::unique_lock<std::mutex> lock_shortly(std::mutex& mutex) {
  constexpr int tries = 200;
  for (int i = 0; i < tries; ++i)
    if (mutex.try_lock()) return {mutex, std::adopt_lock};
  return std::unique_lock(mutex);
}

dense::Floats ones(const nn::NetShape& shape) {
  return pack(shape, std::vector<float>(parameter_count(shape), 1.0F));
}

}  // namespace

void add(LearningMeter& sum, const LearningMeter& batch) {
  sum.samples += batch.samples;
  sum.loss.policy += batch.loss.policy;
  sum.loss.value += batch.loss.value;
  sum.loss.entropy += batch.loss.entropy;
  sum.policy_lag += batch.policy_lag;
  sum.kl += batch.kl;
}

ParameterServer::ParameterServer(const LearningRule& rule, const nn::NetShape& shape,
                                 std::span<const float> weights, int readers_max)
    : rule_(rule),
      shape_(shape),
      weights_(pack(shape, weights)),
      optimizer_(rule.optimizer, ones(shape)),
      board_(weights_.size(), readers_max) {
  board_.publish(weights_);
}

double ParameterServer::done() const {
  const auto frames = static_cast<double>(frames_.load(std::memory_order_relaxed));
  return std::min(frames / (static_cast<double>(rule_.frames_total) * rule_.epochs), 1.0);
}

LossWeights ParameterServer::loss_weights() const {
  auto weights = rule_.loss;
  weights.entropy = rule_.entropy.at(done());
  return weights;
}

void ParameterServer::apply(std::span<const float> gradient, const LearningMeter& batch) {
  const auto lock = lock_shortly(mutex_);
  const double rate = rule_.rate.at(done());
  const double norm = optimizer_.step(weights_, gradient, rate);
  frames_.fetch_add(batch.samples, std::memory_order_relaxed);
  if (!std::isfinite(norm) || !std::isfinite(batch.loss.policy + batch.loss.value)) {
    const auto last = board_.read();  // the last version is still finite
    std::copy(last.parameters().begin(), last.parameters().end(), weights_.begin());
    diverged_.store(true, std::memory_order_relaxed);
    return;
  }
  ++updates_;
  board_.publish(weights_);

  ++meter_.updates;
  meter_.gradient_norm += norm;
  meter_.rate = rate;
  add(meter_, batch);
}

LearningMeter ParameterServer::take_meter() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(meter_, {});
}

std::int64_t ParameterServer::updates() {
  const std::scoped_lock lock(mutex_);
  return updates_;
}

ParameterServer::State ParameterServer::state() const {
  const auto& optimizer = optimizer_.state();
  State state{
      unpack(shape_, weights_), unpack(shape_, optimizer.mean_square), {}, frames_, updates_};
  if (!optimizer.mean.empty()) state.mean = unpack(shape_, optimizer.mean);
  return state;
}

void ParameterServer::restore(const State& state) {
  weights_ = pack(shape_, state.weights);
  nn::Optimizer::State optimizer{{}, pack(shape_, state.mean_square), state.updates};
  if (!state.mean.empty()) optimizer.mean = pack(shape_, state.mean);
  optimizer_.restore(std::move(optimizer));
  frames_ = state.frames;
  updates_ = state.updates;
  board_.publish(weights_);
}

Learner::Learner(const nn::NetShape& shape, int samples_max, const nn::NetworkMaker& networks,
                 ParameterServer& server)
    : shape_(shape),
      server_(server),
      network_(networks.make(shape, samples_max)),
      samples_max_(samples_max) {
  const auto rows = dense::padded(static_cast<std::size_t>(samples_max));
  actions_.resize(rows);
  targets_.resize(rows);
  advantages_.resize(rows);
  log_chances_.resize(rows);
  output_gradient_.resize(rows * static_cast<std::size_t>(shape.outputs()));
  numbers_.resize(static_cast<std::size_t>(samples_max) *
                  static_cast<std::size_t>(shape.deviations()));
}

void Learner::serve(std::span<const Piece> pieces, const nn::WeightView& weights) {
  LearningMeter meter;
  const auto gradient = gradient_of(pieces, weights, meter);
  server_.apply(gradient, meter);
  // After the update: the agent that waits for its rollout continues with the new weights.
  for (const auto& piece : pieces) piece.rollout->piece_trained();
}

std::span<const float> Learner::gradient_of(std::span<const Piece> pieces,
                                            const nn::WeightView& weights, LearningMeter& meter) {
  int samples = 0;
  for (const auto& piece : pieces) samples += weight_of(piece);
  const float scale = server_.rule().mean_loss ? 1.0F / static_cast<float>(samples) : 1.0F;
  meter = {};
  auto count = fitting(pieces);
  auto gradient = batch_gradient(pieces.first(count), weights, scale);
  add(meter, batch_);
  if (count == pieces.size()) return gradient;
  gradient_sum_.assign(gradient.begin(), gradient.end());
  while (!(pieces = pieces.subspan(count)).empty()) {
    count = fitting(pieces);
    gradient = batch_gradient(pieces.first(count), weights, scale);
    add(meter, batch_);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient_sum_[i] += gradient[i];
  }
  return gradient_sum_;
}

// How many of the pieces fit into one batch: at least one, because samples_max is enough for the
// longest piece.
std::size_t Learner::fitting(std::span<const Piece> pieces) const {
  std::size_t count = 0;
  int samples = 0;
  while (count < pieces.size() && (samples += weight_of(pieces[count])) <= samples_max_) ++count;
  assert(count > 0);
  return count;
}

void Learner::gather(std::span<const Piece> pieces) {
  const auto size = static_cast<std::size_t>(shape_.input_floats());
  float* observations = network_->input();
  auto numbers = numbers_.begin();
  std::size_t sample = 0;
  version_sum_ = 0;
  for (const auto& [rollout, column] : pieces) {
    const auto steps = static_cast<std::size_t>(rollout->steps);
    std::copy_n(rollout->actions(column).begin(), steps, &actions_[sample]);
    std::copy_n(rollout->returns(column).begin(), steps, &targets_[sample]);
    std::copy_n(rollout->advantages(column).begin(), steps, &advantages_[sample]);
    std::copy_n(rollout->log_chances(column).begin(), steps, &log_chances_[sample]);
    for (int t = 0; t < rollout->steps; ++t, ++sample) {
      observations = std::copy_n(rollout->observation(t, column), size, observations);
      numbers = std::copy_n(rollout->numbers(t, column).begin(), shape_.deviations(), numbers);
      version_sum_ += static_cast<double>(rollout->version(t));
    }
  }
  samples_ = static_cast<int>(sample);
}

std::span<const float> Learner::batch_gradient(std::span<const Piece> pieces,
                                               const nn::WeightView& weights, float scale) {
  gather(pieces);
  const auto sums = loss_of(network_->forward(weights, network_->input(), samples_), scale);
  batch_.samples = samples_;
  batch_.loss = {sums.policy, sums.value, sums.entropy};
  batch_.policy_lag = static_cast<double>(weights.version) * samples_ - version_sum_;
  return network_->backward(weights.parameters, output_gradient_.data());
}

dense::LossSums Learner::loss_of(const dense::Heads& outputs, float scale) {
  const auto loss = server_.loss_weights();
  dense::LossPlan plan;
  plan.outputs = outputs;
  plan.actions = actions_.data();
  plan.targets = targets_.data();
  plan.gradient = output_gradient_.data();
  plan.entropy = static_cast<float>(loss.entropy);
  plan.value = static_cast<float>(loss.value);
  plan.log_floor = static_cast<float>(loss.log_floor);
  plan.scale = scale;
  if (loss.ratio_clip > 0) {
    plan.advantages = advantages_.data();
    plan.log_chances = log_chances_.data();
    plan.ratio_clip = static_cast<float>(loss.ratio_clip);
  }
  switch (shape_.policy) {
    case nn::Policy::categorical:
      return dense::best_kernels().loss(plan);
    case nn::Policy::gaussian:
    case nn::Policy::squashed:  // sac has its own learner
      break;
  }
  return nn::gaussian_loss(plan, numbers_.data());
}

}  // namespace hone::ac
