// Runs real steps: a thread for each lane that has jobs.
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
  std::vector<double> job_ms;  // duration of each job, without waiting
};

// The step and the kernels must outlive the object.
class LaneThreads {
 public:
  LaneThreads(const RealStep& step, Kernels& kernels);
  ~LaneThreads();
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;

  // Runs one step to the end of its last job. Throws what a kernel threw.
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
  std::vector<std::jthread> threads_;  // last member: they use the others
};

}  // namespace hone::trainers
