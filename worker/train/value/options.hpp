// The settings of dqn, apex and gorila in typed form, with the defaults of the mode and the
// environment filled in.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/replay/memory.hpp"
#include "worker/train/rl/schedule.hpp"
#include "worker/train/run/trainer.hpp"
#include "worker/train/value/exploration.hpp"
#include "worker/train/value/q_learner.hpp"

namespace hone::q {

// The threads of Ape-X and Gorila.
struct ApexRule {
  int actors = 2;
  int slots = 2;   // chunks of an actor that may wait to be stored
  int steps = 50;  // of each environment in a chunk
  bool processes = false;
};

// What only Gorila has.
struct GorilaRule {
  int shards = 4;
  std::int64_t staleness = 20;  // see ShardRule
  double deviations = 0;        // see LossFilter
};

struct Options {
  envs::Env env;
  std::optional<double> sticky{};  // replaces that of the environment
  std::uint64_t seed = 0;
  std::int64_t frames_total = 1;
  int envs = 1;  // of all actors
  ApexRule apex;
  GorilaRule gorila;
  nn::NetShape net;
  nn::NetworkMaker networks;
  nn::WeightStart weight_start = nn::WeightStart::scaled;
  QRule learning;
  rl::Schedule rate;
  int batch = 64;
  int train_every = 4;  // frames
  int updates = 1;
  std::int64_t learning_starts = 0;
  Exploration exploration;
  double reward_clip = 0;
  bool scale_observations = false;
  replay::MemoryShape memory;  // of each learner
  replay::IndexRule index;
  rl::Schedule beta;
  bool checkpoint_replay = true;
};

// Refuses an unknown environment, one with continuous actions, a replay memory that is too small or
// too large, and a backend that is not available here.
Result<Options> options_of(const trainers::TrainingJob& job);
// Floats of the weights as the kernels take them.
std::size_t packed_floats(const nn::NetShape& net);
// Those of apex. Refuses also what would not repeat where it is to be deterministic.
Result<Options> apex_options_of(const trainers::TrainingJob& job);

// Those of gorila, likewise.
Result<Options> gorila_options_of(const trainers::TrainingJob& job);

}  // namespace hone::q
