// What the runs of a sweep may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/types/instant.hpp"

namespace hone {

struct BudgetSpec {
  std::string unit = "frames";
  std::int64_t per_run = 0;  // units one complete run trains for
  int phases = 1;            // equal slices of it, each ended by a report
  friend bool operator==(const BudgetSpec&, const BudgetSpec&) = default;
};

// The step at which a phase ends.
inline std::int64_t phase_end(const BudgetSpec& budget, int phase) {
  // In two parts, so that no product overflows: per_run = whole * phases + rest.
  const auto whole = budget.per_run / budget.phases;
  const auto rest = budget.per_run % budget.phases;
  return whole * (phase + 1) + rest * (phase + 1) / budget.phases;
}

// What one run occupies on its worker.
// A worker with a label that begins so takes only runs that require this label.
inline constexpr std::string_view only_label = "only=";

struct ResourcesSpec {
  int cpus = 1;
  int gpus = 0;
  std::int64_t memory = 0;            // bytes; 0: not counted and not limited
  std::vector<std::string> labels{};  // that its worker must have
  std::int64_t gpu_memory = 0;        // bytes of each of its GPUs; 0: no other run may use them
  int cpus_max = 0;  // it may get up to so many while no run waits for them; 0: always `cpus`
  friend bool operator==(const ResourcesSpec&, const ResourcesSpec&) = default;
};

// How many slots the runs of a sweep hold together.
struct SlotsSpec {
  int min = 0;               // as long as it has runs for them, others get slots after it
  std::optional<int> max{};  // never more
  friend bool operator==(const SlotsSpec&, const SlotsSpec&) = default;
};

// When a sweep is wanted: `after` its submission, or at a time. The other one is zero.
struct Deadline {
  Duration after{};
  Instant at{};
  friend bool operator==(const Deadline&, const Deadline&) = default;
};

struct LimitsSpec {
  std::optional<Duration> duration;  // of the whole sweep, from submission
  int max_retries = 3;  // further attempts a run gets after its worker or process was lost
  std::optional<Duration> run{};     // of one run, over all its attempts
  std::optional<Duration> phase{};   // of a run without a report or a checkpoint: it hangs
  std::optional<int> concurrency{};  // runs of the sweep at a time
  // Runs that may fail before the sweep ends as failed; below 1: as a share of all of its first
  // runs. Unset: the sweep ends when its trials fail in a row (server/sweep/state/failures.hpp).
  std::optional<double> max_failed{};
  friend bool operator==(const LimitsSpec&, const LimitsSpec&) = default;
};

// Which checkpoints of a run stay once it is over: that of its best report
// (server/sweep/verdict/retention.hpp) or all of them.
enum class Keep { best, all };

struct CheckpointsSpec {
  Keep keep = Keep::best;
  friend bool operator==(const CheckpointsSpec&, const CheckpointsSpec&) = default;
};

}  // namespace hone
