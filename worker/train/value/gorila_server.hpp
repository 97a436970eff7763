// The server's side of Gorila in one process: the frames of the phase, the parameters, and sums for
// the metrics. Thread-safe.
#pragma once

#include <mutex>
#include <vector>

#include "schemas/types/metric.hpp"
#include "worker/train/actor_critic/experience/frames.hpp"
#include "worker/train/value/gorila_node.hpp"
#include "worker/train/value/parameter_shards.hpp"
#include "worker/train/value/q_learner.hpp"

namespace hone::dqn {

class GorilaServer final : public GorilaLink {
 public:
  explicit GorilaServer(const Options& options);

  int claim(int columns, int steps_max) override { return frames_.claim(columns, steps_max); }
  void pull(std::span<float> weights, std::span<std::int64_t> versions) override {
    shards_.pull(weights, versions);
  }
  // A gradient that is not finite, or after which the parameters are not, ends the phase.
  void push(const NodeGradient& gradient) override;

  [[nodiscard]] ga3c::FrameCounter& frames() { return frames_; }
  [[nodiscard]] const ga3c::FrameCounter& frames() const { return frames_; }
  [[nodiscard]] ParameterShards& shards() { return shards_; }
  [[nodiscard]] const ParameterShards& shards() const { return shards_; }
  [[nodiscard]] bool diverged() const;
  // Metrics of learning since the last call, which is `seconds` ago.
  void add_metrics(double seconds, std::vector<trainers::MetricPoint>& points);

 private:
  // Sums over gradients.
  struct Meter {
    QMeter learned;                                // of all that are finite
    std::int64_t outliers = 0;                     // of these
    std::int64_t applied = 0, stale = 0, age = 0;  // over shards
  };

  ga3c::FrameCounter frames_;
  ParameterShards shards_;
  mutable std::mutex mutex_;
  bool diverged_ = false;
  Meter meter_;
};

}  // namespace hone::dqn
