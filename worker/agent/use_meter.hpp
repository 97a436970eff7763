// Turns samples of what a run's processes use into metrics of the run: how many cores they kept
// busy, how much memory they had, what its GPUs did. They are telemetry: no verdict rests on them.
//
// A sample is taken every few seconds and when the run reports. A report ends an interval; so does
// a minute without a report in which the run has logged a further step. At its end an interval
// gives one point of each metric, at the newest step that the run has named:
//   hone.cpu_cores     processor time of the interval / its length: the mean number of busy cores
//   hone.memory_bytes  the most of the samples of the interval
// and where the run has GPUs and the driver tells, of all of them together:
//   hone.gpu_busy          the mean of the samples: share of time in which a kernel ran
//   hone.gpu_memory_bytes  the most of the samples
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "schemas/types/instant.hpp"
#include "schemas/types/wire.hpp"
#include "worker/agent/trial_line.hpp"

namespace hone::worker {

inline constexpr const char* cpu_metric = "hone.cpu_cores";
inline constexpr const char* memory_metric = "hone.memory_bytes";
inline constexpr const char* gpu_metric = "hone.gpu_busy";
inline constexpr const char* gpu_memory_metric = "hone.gpu_memory_bytes";

struct GpuSample {
  double busy = 0;  // mean over the run's GPUs, at most 1
  std::int64_t memory_bytes = 0;
};

struct UseSample {
  double cpu_s = 0;  // since the run began
  std::int64_t memory_bytes = 0;
  std::optional<GpuSample> gpus{};
};

class UseMeter {
 public:
  // `step` is that of the checkpoint that the run continues, whose points stay.
  explicit UseMeter(Instant start, std::int64_t step = 0) : begun_(start), step_(step) {
    if (step > 0) closed_at_step_ = step;
  }

  // Whether a sample now could end an interval: an interval that is too short continues.
  [[nodiscard]] bool wants(Instant now) const;
  void take(const UseSample& sample);
  // A line of the run: its step. A report ends the interval.
  [[nodiscard]] std::vector<MetricPoint> line(Instant now, const TrialLine& line);
  // After a sample: a long interval ends if the run has named a further step.
  [[nodiscard]] std::vector<MetricPoint> tick(Instant now);
  // The run has ended: the rest, unless it would replace the points of its last report.
  [[nodiscard]] std::vector<MetricPoint> end(Instant now);

 private:
  [[nodiscard]] std::vector<MetricPoint> close(Instant now);
  [[nodiscard]] bool has_new_step() const { return !closed_at_step_ || step_ > *closed_at_step_; }

  Instant begun_;  // of the interval
  UseSample last_{};
  double cpu_s_ = 0;  // of the interval
  std::int64_t memory_bytes_ = 0;
  double gpu_busy_ = 0;  // sum of the samples of the interval
  int gpu_samples_ = 0;
  std::int64_t gpu_memory_bytes_ = 0;
  std::int64_t step_ = 0;
  std::optional<std::int64_t> closed_at_step_{};  // of the newest points
};

}  // namespace hone::worker
