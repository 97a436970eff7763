// Carries out a step: a thread for each lane that has jobs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "worker/train/placement/real_step.hpp"

namespace hone::trainers {

struct RealTimes {
  double step_ms = 0;
  std::vector<double> job_ms;  // how long each job took, waiting not counted
};

// The step and the kernels must outlive it.
class LaneThreads {
 public:
  LaneThreads(const RealStep& step, Kernels& kernels);
  ~LaneThreads();
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;

  // One step, from its first job to the end of its last. Throws what a kernel threw.
  RealTimes run();

 private:
  struct Lane {
    std::deque<int> ready;
    std::condition_variable wake;
  };

  void work(std::size_t lane);
  void carry_out(const Job& job);
  void finish(int job, double took_ms);
  void make_ready(int job);

  const RealStep& step_;
  Kernels& kernels_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable over_;
  std::vector<Lane> lanes_;
  std::vector<int> needs_;
  std::size_t left_ = 0;
  bool closing_ = false;
  RealTimes times_;
  std::exception_ptr fault_;
  std::vector<std::jthread> threads_;  // last: they use all of it
};

}  // namespace hone::trainers
