// The metrics of a training: means over what happened since they were last taken. Nothing is
// counted in the inner loop but sums that the work needs anyway.
#pragma once

#include <chrono>
#include <vector>

#include "worker/train/actor_critic/crew.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::ga3c {

double mean(const std::vector<double>& values);

class Telemetry {
 public:
  void add(const QueueMeters& meters);
  // Frames before this step were played by another process.
  void start_at(std::int64_t step) { frames_ = step; }
  std::vector<trainers::MetricPoint> take(std::int64_t step, const EpisodeBook::State& episodes,
                                          const LearningMeter& learning, const Staff& staff);

 private:
  void add_queues(double seconds, const Staff& staff,
                  std::vector<trainers::MetricPoint>& points) const;

  using Clock = std::chrono::steady_clock;
  Clock::time_point taken_ = Clock::now();
  std::int64_t frames_ = 0;
  QueueMeters queues_;
};

}  // namespace hone::ga3c
