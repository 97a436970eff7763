#include "worker/train/actor_critic/actor_pool.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "worker/train/actor_critic/vtrace_training.hpp"

namespace hone::ac {
namespace {

class QueuePool final : public ActorPool {
 public:
  explicit QueuePool(const TrainingContext& context)
      : ActorPool(context),
        predictions_({static_cast<std::size_t>(context.options.counts_max.agents), 0,
                      context.options.predict_rows_max}),
        training_({pieces_max(context.options), 0, context.options.train_samples_max}) {}
  ~QueuePool() override {
    join_actors();
    predictions_.close();
    training_.close();
  }

  void resize(const rl::WorkerCounts& counts, std::vector<Actor>& actors) override {
    for (; predictors_ < counts.predictors; ++predictors_) add_predictor();
    for (; predictors_ > counts.predictors; --predictors_) predictions_.remove_consumer();
    for (; trainers_ < counts.trainers; ++trainers_) add_trainer();
    for (; trainers_ > counts.trainers; --trainers_) training_.remove_consumer();
    ActorPool::resize(counts, actors);
  }

  QueueMeters take_meters() override { return {predictions_.take_meter(), training_.take_meter()}; }

 private:
  static std::size_t pieces_max(const Options& options) {
    const int each = std::max(options.envs_per_agent, options.parity_slots());
    return static_cast<std::size_t>(options.counts_max.agents) * static_cast<std::size_t>(each);
  }

  std::unique_ptr<NetworkClient> make_client(int) override {
    auto networks = context().options.actors_serve ? std::optional(make_networks()) : std::nullopt;
    return std::make_unique<QueueClient>(predictions_, training_, std::move(networks),
                                         context().server);
  }

  void add_predictor() {
    predictions_.add_consumer();
    consumers_.emplace_back([this] {
      auto own = make_networks();
      predictions_.consume([&](const auto& batch) {
        own.predictor.serve(batch, context().server.weights().read().view());
      });
    });
  }

  void add_trainer() {
    training_.add_consumer();
    consumers_.emplace_back([this] {
      auto own = make_networks();
      training_.consume([&](const auto& batch) {
        own.learner.serve(batch, context().server.weights().read().view());
      });
    });
  }

  PredictionQueue predictions_;
  TrainingQueue training_;
  int predictors_ = 0;
  int trainers_ = 0;
  std::vector<std::jthread> consumers_;
};

class A3cPool final : public ActorPool {
 public:
  using ActorPool::ActorPool;
  ~A3cPool() override { join_actors(); }

 private:
  std::unique_ptr<NetworkClient> make_client(int) override {
    return std::make_unique<LocalClient>(make_networks(), context().server);
  }
};

class A2cPool final : public ActorPool {
 public:
  explicit A2cPool(const TrainingContext& context)
      : ActorPool(context), barrier_(context.options.counts.agents, context.server) {}
  ~A2cPool() override { join_actors(); }

 private:
  std::unique_ptr<NetworkClient> make_client(int actor) override {
    return std::make_unique<SynchronousClient>(make_networks(), context().server, barrier_, actor);
  }

  GradientBarrier barrier_;
};

class PpoPool final : public ActorPool {
 public:
  using ActorPool::ActorPool;
  ~PpoPool() override { join_actors(); }

 private:
  std::unique_ptr<NetworkClient> make_client(int) override {
    const auto& options = context().options;
    return std::make_unique<MinibatchClient>(
        make_networks(), context().server,
        MinibatchLearner(options.net, options.rollout_samples(), options.networks, context().server,
                         options.seed));
  }
};

class ImpalaPool final : public ActorPool {
 public:
  explicit ImpalaPool(const TrainingContext& context)
      : ActorPool(context), training_(context.options, context.server) {}
  ~ImpalaPool() override { join_actors(); }

  QueueMeters take_meters() override { return {{}, training_.queue().take_meter()}; }

 private:
  std::unique_ptr<NetworkClient> make_client(int) override {
    return std::make_unique<ActorClient>(make_predictor(), context().server, training_.queue(),
                                         training_.learner_of_actor());
  }

  VtraceTraining training_;
};

}  // namespace

void ActorPool::resize(const rl::WorkerCounts& counts, std::vector<Actor>& actors) {
  threads_.resize(std::max(threads_.size(), actors.size()));
  for (std::size_t i = 0; i < actors.size(); ++i)
    if (static_cast<int>(i) < counts.agents)
      start(static_cast<int>(i), actors[i]);
    else
      actors[i].budget->pause();
}

void ActorPool::start(int i, Actor& actor) {
  auto& thread = threads_[static_cast<std::size_t>(i)];
  if (thread.joinable() && !actor.budget->is_paused()) return;  // runs, or the phase is over
  if (thread.joinable()) thread.join();
  actor.budget->resume();
  {
    const std::scoped_lock lock(mutex_);
    ++running_;
  }
  // Captures no reference to `actor` itself: the vector of actors may grow.
  thread = std::jthread([this, i, &agent = *actor.agent, &budget = *actor.budget] {
    {
      const auto client = make_client(i);
      agent.play(budget, context_.episodes, *client);
    }
    const std::scoped_lock lock(mutex_);
    --running_;
    actor_ended_.notify_one();
  });
}

bool ActorPool::wait_until(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return actor_ended_.wait_until(lock, deadline, [&] { return running_ == 0; });
}

Predictor ActorPool::make_predictor() const {
  const auto& options = context_.options;
  return {options.net, options.predict_rows_needed(), options.networks};
}

ThreadNetworks ActorPool::make_networks() const {
  const auto& options = context_.options;
  return {make_predictor(),
          Learner(options.net, options.train_samples_needed(), options.networks, context_.server)};
}

std::unique_ptr<ActorPool> make_actor_pool(const TrainingContext& context) {
  switch (context.options.scheme) {
    case Scheme::ga3c:
      return std::make_unique<QueuePool>(context);
    case Scheme::a3c:
      return std::make_unique<A3cPool>(context);
    case Scheme::a2c:
      return std::make_unique<A2cPool>(context);
    case Scheme::impala:
      return std::make_unique<ImpalaPool>(context);
    case Scheme::ppo:
      break;
  }
  return std::make_unique<PpoPool>(context);
}

}  // namespace hone::ac
