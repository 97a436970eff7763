// The settings of sac in typed form, with the defaults of the environment filled in.
#pragma once

#include "base/result.hpp"
#include "worker/train/continuous/sac_learner.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/replay/memory.hpp"
#include "worker/train/rl/schedule.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::sac {

struct Options {
  envs::Env env;
  std::uint64_t seed = 0;
  std::int64_t frames_total = 1;
  int envs = 1;
  nn::NetShape net;  // of the policy
  SacRule learning;
  rl::Schedule rate;
  int batch = 256;
  int train_every = 1;  // frames
  int updates = 1;
  std::int64_t learning_starts = 0;
  int random_hold = 1;
  double reward_scale = 1;
  replay::MemoryShape memory;
  bool checkpoint_replay = true;
};

// Refuses an unknown environment, one with discrete actions or with planes for observations, and a
// replay memory that is too small or too large.
Result<Options> options_of(const trainers::TrainingJob& job);

}  // namespace hone::sac
