// The agents' way to the network: who answers their requests, and who trains their roll-outs.
#pragma once

#include <span>
#include <vector>

#include "worker/trainers/ga3c/desk.hpp"
#include "worker/trainers/ga3c/learner.hpp"
#include "worker/trainers/ga3c/predictor.hpp"
#include "worker/trainers/ga3c/rollout.hpp"

namespace hone::ga3c {

using PredictionDesk = Desk<PredictRequest*>;
using TrainingDesk = Desk<Piece>;

class Services {
 public:
  Services() = default;
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;
  virtual ~Services() = default;

  // Returns once the request is answered.
  virtual void predict(PredictRequest& request) = 0;
  // Hands over pieces of roll-outs. `then` tells whether settle() comes next.
  virtual void train(std::span<const Piece> pieces, TrainingDesk::Then then) = 0;
  // Returns once everything that was handed over of the roll-out is trained.
  virtual void settle(Rollout& rollout) = 0;
  [[nodiscard]] virtual bool diverged() const = 0;
};

// What a thread works with.
struct Tools {
  Predictor predictor;
  Learner learner;
};

// GA3C: through the two queues, where predictors and trainers serve. An agent that has to wait
// serves a queue itself while a seat is free (see desk.hpp).
class QueuedServices final : public Services {
 public:
  QueuedServices(PredictionDesk& predictions, TrainingDesk& training, Tools tools, Master& master)
      : predictions_(predictions), training_(training), tools_(std::move(tools)), master_(master) {}

  void predict(PredictRequest& request) override;
  void train(std::span<const Piece> pieces, TrainingDesk::Then then) override;
  void settle(Rollout& rollout) override;
  [[nodiscard]] bool diverged() const override { return master_.diverged(); }

 private:
  PredictionDesk& predictions_;
  TrainingDesk& training_;
  Tools tools_;
  Master& master_;
  std::vector<PredictRequest*> requests_;
  std::vector<Piece> pieces_;
};

// A3C and A2C: the agent's own thread does both, and no queue lies between. The weights are fetched
// after each update of its own, so a roll-out is played and trained on one version, while other
// agents move the shared ones.
class OwnServices final : public Services {
 public:
  OwnServices(Tools tools, Master& master);

  void predict(PredictRequest& request) override;
  void train(std::span<const Piece> pieces, TrainingDesk::Then then) override;
  void settle(Rollout&) override {}
  [[nodiscard]] bool diverged() const override { return master_.diverged(); }

 private:
  void fetch();

  Tools tools_;
  Master& master_;
  dense::Floats weights_;
  std::uint64_t version_ = 0;
};

}  // namespace hone::ga3c
