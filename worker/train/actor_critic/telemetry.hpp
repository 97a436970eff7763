// The metrics of a training: means over the time since they were last taken.
#pragma once

#include <vector>

#include "schemas/types/metric.hpp"
#include "worker/train/actor_critic/actor_pool.hpp"
#include "worker/train/rl/play_meter.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::ac {

class Telemetry {
 public:
  void add(const QueueMeters& meters);
  void start_at(std::int64_t step) { played_.start_at(step); }
  std::vector<trainers::MetricPoint> take(std::int64_t step, const rl::EpisodeLog::State& episodes,
                                          const LearningMeter& learning,
                                          const rl::WorkerCounts& counts);

 private:
  void add_queues(double seconds, const rl::WorkerCounts& counts,
                  std::vector<trainers::MetricPoint>& points) const;

  rl::PlayMeter played_;
  QueueMeters queues_;
};

}  // namespace hone::ac
