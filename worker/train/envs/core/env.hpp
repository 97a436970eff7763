// What every environment offers. An object steps `count` copies at once on the caller's thread and
// writes straight into memory of the caller (a row of a rollout), so no copy lies between an
// environment and the learner.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/envs/core/storage.hpp"

namespace hone::envs {

enum class ActionKind {
  discrete,    // one of `actions`: 0, 1, ...
  continuous,  // `actions` numbers; from -1 to 1 they cover what the environment can do, and beyond
               // it bounds them itself, by its own rules
};

// An observation that is a stack of planes lies [row][column][channel].
struct Planes {
  int rows = 0;
  int columns = 0;
  int channels = 0;
  [[nodiscard]] constexpr int size() const { return rows * columns * channels; }
  friend bool operator==(const Planes&, const Planes&) = default;
};

struct EnvSpec {
  int observation_size = 0;  // numbers of one observation
  Planes planes{};           // of the observation; all 0: it is just numbers
  ActionKind action_kind = ActionKind::discrete;
  int actions = 0;
  int step_limit = 0;  // steps after which an episode is truncated; 0: never
  // Mean return over 100 episodes that counts as solved; infinity: there is no such agreement.
  double solved_return = std::numeric_limits<double>::infinity();
  // The probability that the last action is repeated instead of the new one, where the environment
  // has such a rule: what it is published with.
  std::optional<double> sticky{};
  Storage storage = Storage::floats;  // of observations
  bool forgets = false;  // a restored state begins new episodes: another program holds the rest

  // Of an observation's row.
  [[nodiscard]] constexpr int row_floats() const {
    return envs::row_floats(storage, observation_size);
  }
};

// What the copies do, a row for each; only the kind that the spec names is read.
struct Actions {
  std::span<const std::int32_t> discrete;
  std::span<const float> continuous;
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
  virtual void step(const Actions& actions, const StepOut& out) = 0;

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
  std::optional<double> sticky{};  // instead of the spec's
};

// An environment by its name: what it is like, and how to get one.
struct Env {
  std::string name;
  EnvSpec spec;
  std::function<Result<std::unique_ptr<VecEnv>>(const EnvPlan& plan)> make;
};

}  // namespace hone::envs
