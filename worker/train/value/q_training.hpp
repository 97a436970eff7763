// What every trainer of Q-networks on a replay memory has: the learner, the memory, the schedule of
// updates, and their part of a model file. Used by one thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schemas/types/metric.hpp"
#include "worker/train/replay/memory.hpp"
#include "worker/train/rl/model.hpp"
#include "worker/train/value/options.hpp"
#include "worker/train/value/q_learner.hpp"
#include "worker/train/value/replay_batch.hpp"

namespace hone::q {

class QTraining {
 public:
  // trainer: the name in model files. `options` must outlive the object.
  QTraining(const Options& options, std::string trainer);

  [[nodiscard]] QLearner& learner() { return learner_; }
  [[nodiscard]] const QLearner& learner() const { return learner_; }
  [[nodiscard]] replay::Memory& memory() { return memory_; }

  // The outputs of the online network for observations as the environment gives them, valid until
  // the next call.
  [[nodiscard]] dense::Heads outputs(const float* observations, int rows);
  // Learns the scale of observations from those of a step, if they are scaled.
  void observe(std::span<const float> observations);

  // Makes the updates that are due after `frames` more have been played, at `step` of the run.
  void train(std::int64_t frames, std::int64_t step);
  // Metrics of learning since the last call, which is `seconds` ago.
  void add_metrics(double seconds, std::vector<trainers::MetricPoint>& points);

  // A model with all but the episodes and environments, which the caller adds before finish().
  [[nodiscard]] rl::Model model(std::int64_t step) const;
  [[nodiscard]] Status write(const std::filesystem::path& path, const rl::Model& model) const;

  // Reads a file of the same trainer, environment and network into the learner and the memory.
  // Refuses another one. `groups`: how many the file must have.
  Result<rl::Model> read(const std::filesystem::path& path, std::size_t groups);

 private:
  void learn(double done);
  bool restore(const rl::Model& model, const trainers::TensorFile& file);

  const Options& options_;
  std::string trainer_;
  QLearner learner_;
  std::unique_ptr<replay::Index> index_;
  replay::Memory memory_;
  ReplayBatch batch_;
  rl::ObservationScale scale_;
  dense::Floats scaled_;      // observations of a step
  std::int64_t due_ = 0;      // frames since the last training
  std::int64_t updates_ = 0;  // address the draws
};

// What a file must be to be continued.
struct QModelPlan {
  const Options& options;
  const std::string& trainer;
  std::size_t groups;
};

// Refuses a file of another trainer, environment, network, optimizer or number of groups.
Result<rl::Model> q_model_of(const trainers::TensorFile& file, const std::filesystem::path& path,
                             const QModelPlan& plan);
// Whether a number of a replay memory is an action of the environment.
std::function<bool(float)> actions_of(const Options& options);

}  // namespace hone::q
