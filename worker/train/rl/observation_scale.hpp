// Brings each number of an observation to mean 0 and deviation 1 over all observations so far, so
// that a speed of hundredths counts as much as a position of tens. All agents share one scale,
// because the network learns one; the model file contains it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "worker/train/envs/core/env.hpp"

namespace hone::rl {

// Thread-safe, except state() and restore().
class ObservationScale {
 public:
  struct State {
    double count = 0;  // of observations
    // For each number of an observation; squares: the sum of squared deviations from the mean.
    std::vector<double> mean, squares;
  };

  // size: how many numbers an observation has.
  explicit ObservationScale(int size);

  // Updates the statistics with observations [count][size].
  void learn(const float* rows, int count);
  // Scales observations [count][size] in place and clips them to [-10, 10].
  void apply(float* rows, int count) const;

  // For checkpoints, while no agent runs.
  [[nodiscard]] const State& state() const { return state_; }
  // Precondition: the state is of the same size.
  void restore(const State& state);

 private:
  void set_factors();

  mutable std::mutex mutex_;
  State state_;
  std::vector<float> factors_;
};

enum class Scaling {
  learned,  // observations update the statistics
  fixed,    // they do not: evaluation of a model
};

// Wraps `env`: its observations are scaled. The scale must outlive the result.
std::unique_ptr<envs::VecEnv> scaled_env(std::unique_ptr<envs::VecEnv> env, ObservationScale& scale,
                                         Scaling scaling);

}  // namespace hone::rl
