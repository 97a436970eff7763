#include "worker/trainers/ga3c/services.hpp"

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
  tools_.predictor.serve({&item, 1}, {weights_, version_});
}

void OwnServices::train(std::span<const Piece> pieces, TrainingDesk::Then) {
  tools_.learner.serve(pieces, {weights_, version_});
  fetch();
}

void OwnServices::fetch() {
  const auto reading = master_.weights().read();
  weights_.assign(reading.parameters().begin(), reading.parameters().end());
  version_ = reading.version();
}

}  // namespace hone::ga3c
