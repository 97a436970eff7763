// Brings each number of an observation to mean 0 and deviation 1 over all that was seen so far, so
// that a speed of hundredths counts as much as a place of tens. Shared by all agents, because the
// network learns one scale; kept in the model, because it plays through it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "worker/train/envs/core/env.hpp"

namespace hone::ga3c {

class ObservationScale {
 public:
  struct State {
    double count = 0;                   // of observations
    std::vector<double> mean, squares;  // of each number: squares of what it differs from the mean
  };

  // size: numbers of an observation.
  explicit ObservationScale(int size);

  // Enters rows of observations.
  void learn(const float* rows, int count);
  void apply(float* rows, int count) const;

  // For checkpoints, while nobody plays.
  [[nodiscard]] const State& state() const { return state_; }
  // Precondition: of the same size.
  void restore(const State& state);

 private:
  void set_factors();

  mutable std::mutex mutex_;
  State state_;
  std::vector<float> factors_;
};

enum class Scaling {
  learned,  // what is seen is entered
  fixed,    // a finished model's
};

// The same environments, seen through the scale, which outlives them.
std::unique_ptr<envs::VecEnv> scaled_env(std::unique_ptr<envs::VecEnv> env, ObservationScale& scale,
                                         Scaling scaling);

}  // namespace hone::ga3c
