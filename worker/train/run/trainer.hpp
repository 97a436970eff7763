// The interface of every built-in trainer. Objects are used by one thread.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/trainers/settings.hpp"
#include "schemas/types/score.hpp"

namespace hone::trainers {

// How actors on other hosts find a training (worker/relay).
struct Invitation {
  std::filesystem::path file;  // to write for them; empty: there are none
  std::string address{};       // of this host, as they reach it; empty: its name
};

// A training: its settings, seed and length.
struct TrainingJob {
  Settings settings;
  std::uint64_t seed = 0;
  std::int64_t budget = 0;  // units (frames, ...) of a complete run; schedules are annealed over it
  Invitation invitation{};
};

struct MetricPoint {
  std::string_view name;
  double value = 0;  // finite
};

// A result of a finished training besides the objective, for users.
struct Fact {
  std::string name;
  std::string value;
};

// When the mean return of 100 episodes in training first reached the environment's goal.
struct Solved {
  std::int64_t step = 0;
  double cpu_s = 0;  // of the whole process by then
};

inline double process_cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Trainer {
 public:
  Trainer() = default;
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  virtual ~Trainer() = default;

  // Trains until the step is reached, the run has diverged or a stop is requested, whichever is
  // first. Calls `tick` on this thread about once a second.
  virtual void advance(std::int64_t until_step, const std::stop_token& stop,
                       const std::function<void()>& tick) = 0;

  [[nodiscard]] virtual std::int64_t step() const = 0;
  // The current objective.
  [[nodiscard]] virtual Score value() const = 0;
  // The current value of an objective that the trainer's row names.
  [[nodiscard]] virtual Score value_of(std::string_view) const { return value(); }
  // In this process; nullopt if the goal has not been reached or there is none.
  [[nodiscard]] virtual std::optional<Solved> solved() const { return std::nullopt; }
  [[nodiscard]] virtual std::vector<Fact> facts() const { return {}; }
  // Telemetry since the last call. May be called from `tick`.
  virtual std::vector<MetricPoint> take_metrics() = 0;

  // Writes a checkpoint from which load() continues the training exactly; it is also the model
  // file.
  [[nodiscard]] virtual Status save(const std::filesystem::path& path) const = 0;
  // Refuses a file that is not a checkpoint of this trainer and these settings, or is damaged, with
  // one sentence; the trainer must not be used after that.
  virtual Status load(const std::filesystem::path& path) = 0;
};

struct EvaluationPlan {
  std::filesystem::path model;
  std::string env;  // empty: that of the model
  int episodes = 100;
  std::uint64_t seed = 0;
  bool sample = false;  // draw actions from the policy, instead of taking the most probable
  // Called on the same thread whenever episodes may have ended, with the number that has.
  std::function<void(int finished)> tick = [](int) {};
};

struct Evaluation {
  std::string env;
  std::vector<double> returns;  // one for each episode
};

}  // namespace hone::trainers
