// The threads of one phase: one for each actor, for GA3C those of the predictors and trainers,
// and for IMPALA that of the learner.
// The pool is destroyed at the end of a phase, so no thread runs while a checkpoint is written.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "worker/train/actor_critic/agents/agent.hpp"
#include "worker/train/actor_critic/options.hpp"
#include "worker/train/actor_critic/serving/network_client.hpp"

namespace hone::ac {

// An agent and the frames it may still play. Actors outlive the pool.
struct Actor {
  std::unique_ptr<Agent> agent;
  std::unique_ptr<rl::FrameBudget> budget;
};

// What all threads of a training share.
struct TrainingContext {
  const Options& options;
  ParameterServer& server;
  rl::EpisodeLog& episodes;
};

struct QueueMeters {
  rl::QueueMeter predictions;
  rl::QueueMeter training;
};

class ActorPool {
 public:
  explicit ActorPool(const TrainingContext& context) : context_(context) {}
  ActorPool(const ActorPool&) = delete;
  ActorPool& operator=(const ActorPool&) = delete;
  virtual ~ActorPool() = default;

  // Starts and pauses threads until the first `counts.agents` actors play and, in GA3C,
  // `counts.predictors` and `counts.trainers` threads serve the queues. A paused actor ends its
  // rollout first.
  virtual void resize(const rl::WorkerCounts& counts, std::vector<Actor>& actors);
  // Blocks until the deadline. Returns true once every actor has reached the end of the phase.
  bool wait_until(std::chrono::steady_clock::time_point deadline);
  // Zeros where there are no queues.
  virtual QueueMeters take_meters() { return {}; }

 protected:
  // Called on the thread of the actor.
  virtual std::unique_ptr<NetworkClient> make_client(int actor) = 0;
  [[nodiscard]] Predictor make_predictor() const;
  [[nodiscard]] ThreadNetworks make_networks() const;
  [[nodiscard]] const TrainingContext& context() const { return context_; }
  // A derived class calls it in its destructor, before what its clients use is destroyed.
  void join_actors() { threads_.clear(); }

 private:
  void start(int i, Actor& actor);

  TrainingContext context_;
  std::mutex mutex_;
  std::condition_variable actor_ended_;
  int running_ = 0;
  std::vector<std::jthread> threads_;  // of the actors; that of a paused one has ended
};

// The pool of options.scheme.
std::unique_ptr<ActorPool> make_actor_pool(const TrainingContext& context);

}  // namespace hone::ac
