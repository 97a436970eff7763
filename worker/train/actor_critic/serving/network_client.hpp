// How an actor reaches the network: an interface, and one implementation for each of GA3C, A3C,
// A2C, PPO and IMPALA. Every actor has its own client and uses it on its own thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/learning/minibatches.hpp"
#include "worker/train/actor_critic/learning/rollout.hpp"
#include "worker/train/actor_critic/learning/vtrace_learner.hpp"
#include "worker/train/actor_critic/serving/predictor.hpp"
#include "worker/train/rl/batch_queue.hpp"

namespace hone::ac {

using PredictionQueue = rl::BatchQueue<PredictRequest*>;
using TrainingQueue = rl::BatchQueue<Piece>;

class NetworkClient {
 public:
  NetworkClient() = default;
  NetworkClient(const NetworkClient&) = delete;
  NetworkClient& operator=(const NetworkClient&) = delete;
  virtual ~NetworkClient() = default;

  // Blocks until the request is answered.
  virtual void predict(PredictRequest& request) = 0;
  // Hands over pieces of rollouts to be trained. Wake::none requires that the caller calls
  // wait_until_trained() next.
  virtual void train(std::span<const Piece> pieces, TrainingQueue::Wake wake) = 0;
  // Blocks until everything that was handed over of the rollout is trained.
  virtual void wait_until_trained(Rollout& rollout) = 0;
  [[nodiscard]] virtual bool diverged() const = 0;
};

// The networks of one thread.
struct ThreadNetworks {
  Predictor predictor;
  Learner learner;
};

// GA3C: through the two queues, which predictors and trainers serve. An actor with networks that
// has to wait serves a batch itself where the queue allows one (see batch_queue.hpp).
class QueueClient final : public NetworkClient {
 public:
  QueueClient(PredictionQueue& predictions, TrainingQueue& training,
              std::optional<ThreadNetworks> networks, ParameterServer& server)
      : predictions_(predictions),
        training_(training),
        networks_(std::move(networks)),
        server_(server) {}

  void predict(PredictRequest& request) override;
  void train(std::span<const Piece> pieces, TrainingQueue::Wake wake) override;
  void wait_until_trained(Rollout& rollout) override;
  [[nodiscard]] bool diverged() const override { return server_.diverged(); }

 private:
  PredictionQueue& predictions_;
  TrainingQueue& training_;
  std::optional<ThreadNetworks> networks_;
  ParameterServer& server_;
  std::vector<PredictRequest*> requests_;
  std::vector<Piece> pieces_;
};

// A thread's copy of the shared weights.
class FetchedWeights {
 public:
  explicit FetchedWeights(ParameterServer& server) : server_(server) { fetch(); }
  void fetch();
  [[nodiscard]] nn::WeightView view() const { return {weights_, version_}; }

 private:
  ParameterServer& server_;
  dense::Floats weights_;
  std::uint64_t version_ = 0;
};

// A3C: the thread of the actor predicts and trains. It fetches the weights after each update
// that it makes, so a rollout is played and trained on one version, while other actors update the
// shared weights.
class LocalClient : public NetworkClient {
 public:
  LocalClient(ThreadNetworks networks, ParameterServer& server)
      : networks_(std::move(networks)), server_(server), weights_(server) {}

  void predict(PredictRequest& request) override;
  void train(std::span<const Piece> pieces, TrainingQueue::Wake wake) override;
  void wait_until_trained(Rollout&) override {}
  [[nodiscard]] bool diverged() const override { return server_.diverged(); }

 protected:
  void fetch() { weights_.fetch(); }
  [[nodiscard]] nn::WeightView weights() const { return weights_.view(); }
  Learner& learner() { return networks_.learner; }

 private:
  ThreadNetworks networks_;
  ParameterServer& server_;
  FetchedWeights weights_;
};

// A barrier for the actors of A2C: when all have added their gradients, the sum is applied as one
// update. Gradients are summed in the order of the actors, so the result does not depend on which
// came first. Thread-safe.
class GradientBarrier {
 public:
  GradientBarrier(int members, ParameterServer& server);

  // Blocks until the update is made.
  void add_and_wait(int member, std::span<const float> gradient, const LearningMeter& meter);
  // The other members no longer wait for one that leaves.
  void leave();

 private:
  struct Part {
    dense::Floats gradient;  // empty: not added yet
    LearningMeter meter;
  };
  void finish();

  ParameterServer& server_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::vector<Part> parts_;
  dense::Floats sum_;
  int members_;
  int arrived_ = 0;
  std::uint64_t rounds_ = 0;
};

// A2C: as A3C, but all actors update together.
class SynchronousClient final : public LocalClient {
 public:
  SynchronousClient(ThreadNetworks networks, ParameterServer& server, GradientBarrier& round,
                    int member)
      : LocalClient(std::move(networks), server), barrier_(round), member_(member) {}
  ~SynchronousClient() override { barrier_.leave(); }

  void train(std::span<const Piece> pieces, TrainingQueue::Wake wake) override;

 private:
  GradientBarrier& barrier_;
  int member_;
};

// PPO: the thread of the actor predicts, and trains each rollout in minibatches.
class MinibatchClient final : public LocalClient {
 public:
  MinibatchClient(ThreadNetworks networks, ParameterServer& server, MinibatchLearner learner)
      : LocalClient(std::move(networks), server), minibatches_(std::move(learner)) {}

  void train(std::span<const Piece> pieces, TrainingQueue::Wake wake) override;

 private:
  MinibatchLearner minibatches_;
};

// IMPALA: the thread of the actor predicts, and queues what it played. It fetches the newest
// weights whenever it has a free rollout. An actor with a learner that has none trains what is
// queued.
class ActorClient final : public NetworkClient {
 public:
  ActorClient(Predictor predictor, ParameterServer& server, TrainingQueue& training,
              std::optional<VtraceLearner> learner)
      : predictor_(std::move(predictor)),
        server_(server),
        weights_(server),
        training_(training),
        learner_(std::move(learner)) {}

  void predict(PredictRequest& request) override;
  void train(std::span<const Piece> pieces, TrainingQueue::Wake wake) override;
  void wait_until_trained(Rollout& rollout) override;
  [[nodiscard]] bool diverged() const override { return server_.diverged(); }

 private:
  Predictor predictor_;
  ParameterServer& server_;
  FetchedWeights weights_;
  TrainingQueue& training_;
  std::optional<VtraceLearner> learner_;
  std::vector<Piece> pieces_;
};

}  // namespace hone::ac
