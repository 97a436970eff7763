// The interface of every environment. An object steps `count` copies together on the thread of the
// caller and writes observations into the caller's memory (a row of a rollout), so none is copied
// between the environment and the learner. An object is used by one thread at a time.
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
  discrete,  // one of 0, 1, ..., actions - 1
  // `actions` numbers. The range -1 to 1 covers what the environment can do; it clips numbers
  // beyond by its own rules.
  continuous,
};

// The shape of an observation that is a stack of planes: [row][column][channel].
struct Planes {
  int rows = 0;
  int columns = 0;
  int channels = 0;
  [[nodiscard]] constexpr int size() const { return rows * columns * channels; }
  friend bool operator==(const Planes&, const Planes&) = default;
};

struct EnvSpec {
  int observation_size = 0;  // numbers of one observation
  Planes planes{};           // of the observation; all 0: a vector of numbers
  ActionKind action_kind = ActionKind::discrete;
  int actions = 0;
  int step_limit = 0;  // steps after which an episode is truncated; 0: never
  // Mean return over 100 episodes that counts as solved; infinity: none is agreed on.
  double solved_return = std::numeric_limits<double>::infinity();
  // The published probability that the last action is repeated instead of the new one, if the
  // environment has this rule (sticky actions).
  std::optional<double> sticky{};
  Storage storage = Storage::floats;  // of observations
  // A restored state begins new episodes, because another program has the rest of the state.
  bool forgets = false;

  // Floats in the row of an observation.
  [[nodiscard]] constexpr int row_floats() const {
    return envs::row_floats(storage, observation_size);
  }
};

// The actions of the copies: discrete [count] or continuous [count][actions], by spec.action_kind.
struct Actions {
  std::span<const std::int32_t> discrete;
  std::span<const float> continuous;
};

// In StepOut::terminated: a learner expects nothing after this step, but the episode continues, and
// so does its return (EpisodicLifeEnv of OpenAI's Baselines).
inline constexpr std::uint8_t life_lost = 2;

// Whether an episode with these flags of its step is over.
constexpr bool episode_over(std::uint8_t terminated, std::uint8_t truncated) {
  return truncated != 0 || (terminated != 0 && terminated != life_lost);
}

// Where a step writes its results, one row for each copy.
struct StepOut {
  // [count][row_floats], of the state to act on next: after an end, the first of the new episode.
  float* observations = nullptr;
  float* rewards = nullptr;            // [count]
  std::uint8_t* terminated = nullptr;  // [count], 1: the episode ended by the rules; or life_lost
  // [count], 1: the step limit was reached. May come together with terminated.
  std::uint8_t* truncated = nullptr;
  // [count][row_floats], the last observation of an ended episode. Other rows are not written.
  float* final_observations = nullptr;
};

class VecEnv {
 public:
  VecEnv() = default;
  VecEnv(const VecEnv&) = delete;
  VecEnv& operator=(const VecEnv&) = delete;
  virtual ~VecEnv() = default;

  [[nodiscard]] virtual const EnvSpec& spec() const = 0;
  [[nodiscard]] virtual int count() const = 0;

  // Starts a new episode in every copy. Writes observations [count][row_floats].
  virtual void reset(float* observations) = 0;
  // One step of every copy. A copy whose episode ends is reset within the same step.
  virtual void step(const Actions& actions, const StepOut& out) = 0;

  // The whole state with its random streams, for checkpoints.
  [[nodiscard]] virtual std::vector<std::uint64_t> save() const = 0;
  // Restores what save() returned and writes the observations of the restored states. Returns false
  // for words of another environment or another count.
  virtual bool restore(std::span<const std::uint64_t> words, float* observations) = 0;
};

// Copy i draws from a stream keyed by (seed, first_index + i).
struct EnvPlan {
  int count = 1;
  std::uint64_t seed = 0;
  std::uint64_t first_index = 0;
  std::optional<double> sticky{};  // replaces that of the spec
};

// A built-in environment; schemas/trainers/environments.hpp gives its name.
struct BuiltinEnv {
  const EnvSpec* spec = nullptr;
  std::unique_ptr<VecEnv> (*make)(const EnvPlan& plan) = nullptr;
};

// An environment that was found by its name.
struct Env {
  std::string name;
  EnvSpec spec;
  std::function<Result<std::unique_ptr<VecEnv>>(const EnvPlan& plan)> make;
};

}  // namespace hone::envs
