// The learner of IMPALA: a thread that trains the pieces of rollouts that its owner queues.
#pragma once

#include <functional>
#include <thread>

#include "worker/train/actor_critic/learning/vtrace_learner.hpp"
#include "worker/train/actor_critic/options.hpp"
#include "worker/train/actor_critic/serving/network_client.hpp"

namespace hone::ga3c {

class VtraceThread {
 public:
  // Calls updated() on the thread after each update. The references must outlive the object.
  VtraceThread(
      const Options& options, ParameterServer& server, std::function<void()> updated = [] {});
  VtraceThread(const VtraceThread&) = delete;
  VtraceThread& operator=(const VtraceThread&) = delete;
  // What is still queued is not trained.
  ~VtraceThread() { queue_.close(); }

  [[nodiscard]] TrainingQueue& queue() { return queue_; }

 private:
  void learn();

  const Options& options_;
  ParameterServer& server_;
  std::function<void()> updated_;
  TrainingQueue queue_;
  std::jthread thread_;
};

}  // namespace hone::ga3c
