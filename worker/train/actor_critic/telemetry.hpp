// The metrics of a training: means over the time since they were last taken.
#pragma once

#include <chrono>
#include <vector>

#include "worker/train/actor_critic/actor_pool.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::ga3c {

double mean(const std::vector<double>& values);

class Telemetry {
 public:
  void add(const QueueMeters& meters);
  // Frames up to this step were played by another process: they do not count for frames_per_s.
  void start_at(std::int64_t step) { frames_ = step; }
  std::vector<trainers::MetricPoint> take(std::int64_t step, const EpisodeLog::State& episodes,
                                          const LearningMeter& learning,
                                          const WorkerCounts& counts);

 private:
  void add_queues(double seconds, const WorkerCounts& counts,
                  std::vector<trainers::MetricPoint>& points) const;

  using Clock = std::chrono::steady_clock;
  Clock::time_point taken_ = Clock::now();
  std::int64_t frames_ = 0;
  QueueMeters queues_;
};

}  // namespace hone::ga3c
