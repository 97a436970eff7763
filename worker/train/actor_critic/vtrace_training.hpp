// What trains the rollouts of IMPALA: the actors that wait for a free rollout, or a thread besides
// them.
#pragma once

#include <functional>
#include <optional>
#include <thread>

#include "worker/train/actor_critic/learning/vtrace_learner.hpp"
#include "worker/train/actor_critic/options.hpp"
#include "worker/train/actor_critic/serving/network_client.hpp"

namespace hone::ac {

class VtraceTraining {
 public:
  // Calls updated() after each update of the thread. The references must outlive the object.
  VtraceTraining(
      const Options& options, ParameterServer& server, std::function<void()> updated = [] {});
  VtraceTraining(const VtraceTraining&) = delete;
  VtraceTraining& operator=(const VtraceTraining&) = delete;
  // What is still queued is not trained by the thread.
  ~VtraceTraining() { queue_.close(); }

  [[nodiscard]] TrainingQueue& queue() { return queue_; }
  // For the thread of an actor; nullopt: actors do not train.
  [[nodiscard]] std::optional<VtraceLearner> learner_of_actor() const;

 private:
  [[nodiscard]] VtraceLearner make_learner() const;
  void learn();

  const Options& options_;
  ParameterServer& server_;
  std::function<void()> updated_;
  TrainingQueue queue_;
  std::jthread thread_;
};

}  // namespace hone::ac
