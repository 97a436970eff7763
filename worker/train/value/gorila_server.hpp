// The server's side of Gorila: the frames of the phase, the parameters, and sums for the metrics.
// All but the frames is in memory that processes may share. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schemas/types/metric.hpp"
#include "worker/train/ipc/shared_layout.hpp"
#include "worker/train/rl/frames.hpp"
#include "worker/train/value/gorila_node.hpp"
#include "worker/train/value/parameter_shards.hpp"
#include "worker/train/value/q_learner.hpp"

namespace hone::q {

class GorilaServer final : public GorilaLink {
 public:
  // Of the memory of a server with these options.
  static std::size_t bytes(const Options& options) { return layout(options).bytes; }
  // For guests: their slots are empty, and no weights are published.
  static ipc::SharedLayout layout(const Options& options);
  // memory: bytes() of them, which begin() has filled in this or another process, or will fill.
  GorilaServer(const Options& options, std::span<std::byte> memory);
  // Fills the memory before any other use of it.
  void begin(const Options& options);

  int claim(int columns, int steps_max) override {
    return diverged() ? 0 : frames_.claim(columns, steps_max);
  }
  void pull(std::span<float> weights, std::span<std::int64_t> versions) override {
    shards_.pull(weights, versions);
  }
  std::int64_t count(int frames) override { return head_.played += frames; }
  // Before each phase, while no node runs: a node that was killed may have counted frames twice.
  void begin_phase(std::int64_t until) {
    frames_.open_until(until);
    head_.played = frames_.claimed();
  }
  // After a gradient that is not finite, or makes the parameters so, no frames can be claimed.
  void push(const NodeGradient& gradient) override;

  [[nodiscard]] rl::FrameCounter& frames() { return frames_; }
  [[nodiscard]] const rl::FrameCounter& frames() const { return frames_; }
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

  struct Head {
    ipc::SharedMutex mutex;
    bool diverged = false;
    Meter meter;
    std::atomic<std::int64_t> played = 0;  // frames
    static_assert(std::atomic<std::int64_t>::is_always_lock_free);
  };

  Head& head_;
  rl::FrameCounter frames_;
  ParameterShards shards_;
};

}  // namespace hone::q
