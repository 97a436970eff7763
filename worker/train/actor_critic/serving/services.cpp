#include "worker/train/actor_critic/serving/services.hpp"

namespace hone::ga3c {

void QueuedServices::predict(PredictRequest& request) {
  request.ask();
  PredictRequest* const item = &request;
  predictions_.push({&item, 1}, PredictionDesk::Then::serve);
  while (!request.answered()) {
    if (!predictions_.sit(requests_)) {
      request.wait();
      return;
    }
    tools_.predictor.serve(requests_, master_.weights().read().view());
    predictions_.leave(PredictionDesk::Then::leave);
  }
}

void QueuedServices::train(std::span<const Piece> pieces, TrainingDesk::Then then) {
  training_.push(pieces, then);
}

void QueuedServices::settle(Rollout& rollout) {
  while (!rollout.is_free()) {
    if (!training_.sit(pieces_)) {
      rollout.wait_until_free();
      return;
    }
    tools_.learner.serve(pieces_, master_.weights().read().view());
    training_.leave(rollout.is_free() ? TrainingDesk::Then::leave : TrainingDesk::Then::serve);
  }
}

OwnServices::OwnServices(Tools tools, Master& master) : tools_(std::move(tools)), master_(master) {
  fetch();
}

void OwnServices::predict(PredictRequest& request) {
  PredictRequest* const item = &request;
  tools_.predictor.serve({&item, 1}, weights());
}

void OwnServices::train(std::span<const Piece> pieces, TrainingDesk::Then) {
  tools_.learner.serve(pieces, weights());
  fetch();
}

void OwnServices::fetch() {
  const auto reading = master_.weights().read();
  weights_.assign(reading.parameters().begin(), reading.parameters().end());
  version_ = reading.version();
}

Round::Round(int members, Master& master)
    : master_(master), parts_(static_cast<std::size_t>(members)), members_(members) {}

void Round::hand_in(int member, std::span<const float> gradient, const LearningMeter& meter) {
  std::unique_lock lock(mutex_);
  auto& part = parts_[static_cast<std::size_t>(member)];
  part.gradient.assign(gradient.begin(), gradient.end());
  part.meter = meter;
  if (++arrived_ == members_) return finish();
  const auto round = rounds_;
  finished_.wait(lock, [&] { return rounds_ != round; });
}

void Round::leave() {
  const std::scoped_lock lock(mutex_);
  if (--members_ > 0 && arrived_ == members_) finish();
}

void Round::finish() {
  LearningMeter meter;
  for (const auto& part : parts_)
    if (!part.gradient.empty()) add(meter, part.meter);
  sum_.clear();
  for (auto& part : parts_) {
    if (part.gradient.empty()) continue;
    // Each part is the mean of its own samples, or their sum.
    const auto share = static_cast<float>(part.meter.samples) / static_cast<float>(meter.samples);
    const float scale = master_.rule().mean_loss ? share : 1.0F;
    sum_.resize(part.gradient.size());  // zeros, the first time
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += scale * part.gradient[i];
    part.gradient.clear();
  }
  master_.apply(sum_, meter);
  arrived_ = 0;
  ++rounds_;
  finished_.notify_all();
}

void JointServices::train(std::span<const Piece> pieces, TrainingDesk::Then) {
  LearningMeter meter;
  const auto gradient = learner().gradient_of(pieces, weights(), meter);
  round_.hand_in(member_, gradient, meter);
  for (const auto& piece : pieces) piece.rollout->piece_trained();
  fetch();
}

}  // namespace hone::ga3c
