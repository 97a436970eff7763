// What every built-in trainer offers to phases.cpp, which drives it, and to train_main.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/score.hpp"
#include "worker/train/settings/settings.hpp"

namespace hone::trainers {

// What a run is: the same job gives the same training.
struct TrainingJob {
  Settings settings;
  std::uint64_t seed = 0;
  std::int64_t budget = 0;  // units (frames, ...) of a complete run; schedules are annealed over it
};

struct MetricPoint {
  std::string_view name;
  double value = 0;  // finite
};

// What people want to know of a finished training, beside the objective.
struct Fact {
  std::string name;
  std::string value;
};

// When the mean return of 100 episodes in training first reached the environment's goal.
struct Solved {
  std::int64_t step = 0;
  double cpu_s = 0;  // of the whole process by then
};

class Trainer {
 public:
  Trainer() = default;
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  virtual ~Trainer() = default;

  // Trains until the step is reached, the run has diverged or a stop is requested, whichever is
  // first. Calls `tick` on this thread about every `tick_interval`.
  virtual void advance(std::int64_t until_step, const std::stop_token& stop,
                       const std::function<void()>& tick) = 0;

  [[nodiscard]] virtual std::int64_t step() const = 0;
  // The objective as it stands.
  [[nodiscard]] virtual Score value() const = 0;
  // Of this process; nothing when it has not been, or has no such goal.
  [[nodiscard]] virtual std::optional<Solved> solved() const { return std::nullopt; }
  [[nodiscard]] virtual std::vector<Fact> facts() const { return {}; }
  // Telemetry since the last call. May be called from `tick`.
  virtual std::vector<MetricPoint> take_metrics() = 0;

  // A checkpoint from which the training goes on exactly where it stands; it is also the model
  // file.
  [[nodiscard]] virtual Status save(const std::filesystem::path& path) const = 0;
  virtual Status load(const std::filesystem::path& path) = 0;
};

struct EvaluationPlan {
  std::filesystem::path model;
  std::string env;  // empty: the model's own
  int episodes = 100;
  std::uint64_t seed = 0;
  bool sample = false;  // draw actions from the policy, instead of taking the most probable
};

struct Evaluation {
  std::string env;
  std::vector<double> returns;  // one for each episode
};

}  // namespace hone::trainers
