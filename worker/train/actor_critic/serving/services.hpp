// The agents' way to the network: who answers their requests, and who trains their roll-outs.
#pragma once

#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

#include "worker/train/actor_critic/experience/rollout.hpp"
#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/serving/desk.hpp"
#include "worker/train/actor_critic/serving/predictor.hpp"

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

// A3C: the agent's own thread does both, and no queue lies between. The weights are fetched after
// each update of its own, so a roll-out is played and trained on one version, while other agents
// move the shared ones.
class OwnServices : public Services {
 public:
  OwnServices(Tools tools, Master& master);

  void predict(PredictRequest& request) override;
  void train(std::span<const Piece> pieces, TrainingDesk::Then then) override;
  void settle(Rollout&) override {}
  [[nodiscard]] bool diverged() const override { return master_.diverged(); }

 protected:
  void fetch();
  [[nodiscard]] WeightView weights() const { return {weights_, version_}; }
  Learner& learner() { return tools_.learner; }

 private:
  Tools tools_;
  Master& master_;
  dense::Floats weights_;
  std::uint64_t version_ = 0;
};

// Where A2C's agents meet: once all have handed in their gradients, the sum is one update. Added in
// the agents' order, so the result does not depend on who came first.
class Round {
 public:
  Round(int members, Master& master);

  // Returns when the update is made.
  void hand_in(int member, std::span<const float> gradient, const LearningMeter& meter);
  // The member will not come again.
  void leave();

 private:
  struct Part {
    dense::Floats gradient;  // empty: not handed in
    LearningMeter meter;
  };
  void finish();

  Master& master_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::vector<Part> parts_;
  dense::Floats sum_;
  int members_;
  int arrived_ = 0;
  std::uint64_t rounds_ = 0;
};

class JointServices final : public OwnServices {
 public:
  JointServices(Tools tools, Master& master, Round& round, int member)
      : OwnServices(std::move(tools), master), round_(round), member_(member) {}
  ~JointServices() override { round_.leave(); }

  void train(std::span<const Piece> pieces, TrainingDesk::Then then) override;

 private:
  Round& round_;
  int member_;
};

}  // namespace hone::ga3c
