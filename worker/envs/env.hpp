// What every environment offers. An object steps `count` copies at once on the caller's thread and
// writes straight into memory of the caller (a row of a roll-out), so no copy lies between an
// environment and the learner.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace hone::envs {

struct EnvSpec {
  std::string_view name;
  int observation_size = 0;  // floats of one observation
  int actions = 0;           // discrete actions 0..actions-1
  int step_limit = 0;        // steps after which an episode is truncated
  double solved_return = 0;  // mean return over 100 episodes that counts as solved
};

// Where a step puts its results, one row for each copy.
struct StepOut {
  float* observations =
      nullptr;  // of the state to act on next: after an end, the first of the new episode
  float* rewards = nullptr;
  std::uint8_t* terminated = nullptr;  // the episode ended by the rules
  std::uint8_t* truncated =
      nullptr;  // the step limit was reached (may come together with terminated)
  float* final_observations =
      nullptr;  // the last observation of an ended episode; other rows are left alone
};

class VecEnv {
 public:
  VecEnv() = default;
  VecEnv(const VecEnv&) = delete;
  VecEnv& operator=(const VecEnv&) = delete;
  virtual ~VecEnv() = default;

  [[nodiscard]] virtual const EnvSpec& spec() const = 0;
  [[nodiscard]] virtual int count() const = 0;

  // Starts a new episode in every copy.
  virtual void reset(float* observations) = 0;
  // One step of every copy. A copy whose episode ends is reset within the same step.
  virtual void step(std::span<const std::int32_t> actions, const StepOut& out) = 0;

  // The whole state with its random streams, for checkpoints. restore refuses (false) words of
  // another shape and writes the observations of the restored states.
  [[nodiscard]] virtual std::vector<std::uint64_t> save() const = 0;
  virtual bool restore(std::span<const std::uint64_t> words, float* observations) = 0;
};

// Copy i draws from a stream keyed by (seed, first_index + i).
struct EnvPlan {
  int count = 1;
  std::uint64_t seed = 0;
  std::uint64_t first_index = 0;
};

}  // namespace hone::envs
