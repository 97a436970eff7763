#include "worker/train/actor_critic/serving/network_client.hpp"

namespace hone::ac {

void QueueClient::predict(PredictRequest& request) {
  request.ask();
  PredictRequest* const item = &request;
  if (!networks_) {
    predictions_.push({&item, 1}, PredictionQueue::Wake::one);
    request.wait();
    return;
  }
  predictions_.push({&item, 1}, PredictionQueue::Wake::none);
  while (!request.answered()) {
    if (!predictions_.try_pop_batch(requests_)) {
      request.wait();
      return;
    }
    networks_->predictor.serve(requests_, server_.weights().read().view());
    predictions_.finish_batch(PredictionQueue::Wake::one);
  }
}

void QueueClient::train(std::span<const Piece> pieces, TrainingQueue::Wake wake) {
  training_.push(pieces, networks_ ? wake : TrainingQueue::Wake::one);
}

void QueueClient::wait_until_trained(Rollout& rollout) {
  if (!networks_) return rollout.wait_until_free();
  while (!rollout.is_free()) {
    if (!training_.try_pop_batch(pieces_)) {
      rollout.wait_until_free();
      return;
    }
    networks_->learner.serve(pieces_, server_.weights().read().view());
    training_.finish_batch(rollout.is_free() ? TrainingQueue::Wake::one
                                             : TrainingQueue::Wake::none);
  }
}

void LocalClient::predict(PredictRequest& request) {
  PredictRequest* const item = &request;
  networks_.predictor.serve({&item, 1}, weights());
}

void LocalClient::train(std::span<const Piece> pieces, TrainingQueue::Wake) {
  networks_.learner.serve(pieces, weights());
  fetch();
}

void FetchedWeights::fetch() {
  const auto reading = server_.weights().read();
  weights_.assign(reading.parameters().begin(), reading.parameters().end());
  version_ = reading.version();
}

GradientBarrier::GradientBarrier(int members, ParameterServer& server)
    : server_(server), parts_(static_cast<std::size_t>(members)), members_(members) {}

void GradientBarrier::add_and_wait(int member, std::span<const float> gradient,
                                   const LearningMeter& meter) {
  std::unique_lock lock(mutex_);
  auto& part = parts_[static_cast<std::size_t>(member)];
  part.gradient.assign(gradient.begin(), gradient.end());
  part.meter = meter;
  if (++arrived_ == members_) return finish();
  const auto round = rounds_;
  finished_.wait(lock, [&] { return rounds_ != round; });
}

void GradientBarrier::leave() {
  const std::scoped_lock lock(mutex_);
  if (--members_ > 0 && arrived_ == members_) finish();
}

void GradientBarrier::finish() {
  LearningMeter meter;
  for (const auto& part : parts_)
    if (!part.gradient.empty()) add(meter, part.meter);
  sum_.clear();
  for (auto& part : parts_) {
    if (part.gradient.empty()) continue;
    // Each part is the mean of that part's samples, or their sum.
    const auto share = static_cast<float>(part.meter.samples) / static_cast<float>(meter.samples);
    const float scale = server_.rule().mean_loss ? share : 1.0F;
    sum_.resize(part.gradient.size());  // zeros, the first time
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += scale * part.gradient[i];
    part.gradient.clear();
  }
  server_.apply(sum_, meter);
  arrived_ = 0;
  ++rounds_;
  finished_.notify_all();
}

void SynchronousClient::train(std::span<const Piece> pieces, TrainingQueue::Wake) {
  LearningMeter meter;
  const auto gradient = learner().gradient_of(pieces, weights(), meter);
  barrier_.add_and_wait(member_, gradient, meter);
  for (const auto& piece : pieces) piece.rollout->piece_trained();
  fetch();
}

void ActorClient::predict(PredictRequest& request) {
  PredictRequest* const item = &request;
  predictor_.serve({&item, 1}, weights_.view());
}

void ActorClient::train(std::span<const Piece> pieces, TrainingQueue::Wake wake) {
  training_.push(pieces, wake);
}

void ActorClient::wait_until_trained(Rollout& rollout) {
  while (learner_ && !rollout.is_free() && training_.try_pop_batch(pieces_)) {
    learner_->serve(pieces_);
    training_.finish_batch(TrainingQueue::Wake::one);
  }
  rollout.wait_until_free();
  weights_.fetch();
}

void MinibatchClient::train(std::span<const Piece> pieces, TrainingQueue::Wake) {
  minibatches_.train(pieces);
  for (const auto& piece : pieces) piece.rollout->piece_trained();
  fetch();
}

}  // namespace hone::ac
