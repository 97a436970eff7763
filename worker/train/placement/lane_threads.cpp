#include "worker/train/placement/lane_threads.hpp"

namespace hone::trainers {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

LaneThreads::LaneThreads(const RealStep& step, Kernels& kernels)
    : step_(step), kernels_(kernels), lanes_(static_cast<std::size_t>(step.lanes)) {
  std::vector<char> used(lanes_.size(), 0);
  for (const Job& job : step.jobs) used[static_cast<std::size_t>(job.lane)] = 1;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (used[lane] != 0) threads_.emplace_back([this, lane] { work(lane); });
}

LaneThreads::~LaneThreads() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  for (Lane& lane : lanes_) lane.wake.notify_all();
}

RealTimes LaneThreads::run() {
  std::unique_lock lock(mutex_);
  needs_.clear();
  for (const Job& job : step_.jobs) needs_.push_back(job.needs);
  left_ = step_.jobs.size();
  times_.job_ms.assign(step_.jobs.size(), 0);
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < step_.jobs.size(); ++i)
    if (step_.jobs[i].needs == 0) make_ready(static_cast<int>(i));
  over_.wait(lock, [&] { return left_ == 0; });
  times_.step_ms = ms_since(begin);
  if (fault_) std::rethrow_exception(fault_);
  return times_;
}

void LaneThreads::work(std::size_t lane) {
  if (lane < static_cast<std::size_t>(step_.devices)) kernels_.enter(static_cast<int>(lane));
  std::unique_lock lock(mutex_);
  while (true) {
    lanes_[lane].wake.wait(lock, [&] { return closing_ || !lanes_[lane].ready.empty(); });
    if (closing_) return;
    const int job = lanes_[lane].ready.front();
    lanes_[lane].ready.pop_front();
    lock.unlock();
    const auto begin = Clock::now();
    std::exception_ptr fault;
    try {
      carry_out(step_.jobs[static_cast<std::size_t>(job)]);
    } catch (...) {  // rethrown by run()
      fault = std::current_exception();
    }
    const double took_ms = ms_since(begin);
    lock.lock();
    if (fault) fault_ = fault;
    finish(job, took_ms);
  }
}

void LaneThreads::carry_out(const Job& job) {
  if (job.copies >= 0) return kernels_.copy(job.copies, job.writes);
  std::vector<float> inputs;
  for (const int tensor : job.reads) inputs.push_back(kernels_.get(tensor));
  kernels_.work(job.lane, job.work);
  kernels_.put(job.writes, token_of(inputs));
}

void LaneThreads::finish(int job, double took_ms) {
  times_.job_ms[static_cast<std::size_t>(job)] = took_ms;
  for (const int next : step_.jobs[static_cast<std::size_t>(job)].then)
    if (--needs_[static_cast<std::size_t>(next)] == 0) make_ready(next);
  if (--left_ == 0) over_.notify_all();
}

void LaneThreads::make_ready(int job) {
  Lane& lane = lanes_[static_cast<std::size_t>(step_.jobs[static_cast<std::size_t>(job)].lane)];
  lane.ready.push_back(job);
  lane.wake.notify_one();
}

}  // namespace hone::trainers
