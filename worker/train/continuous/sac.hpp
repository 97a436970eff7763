// Soft actor-critic (Haarnoja et al., 2018): one thread plays environments with continuous actions
// by a random policy that is rewarded for its entropy, keeps the steps in a replay memory, and
// trains on draws from it. Equal settings and seeds give equal models; a run that is resumed from a
// checkpoint with its memory ends with the same bytes.
#pragma once

#include <memory>

#include "worker/train/run/trainer.hpp"

namespace hone::sac {

// Refuses settings that contradict each other or the environment.
Result<std::unique_ptr<trainers::Trainer>> make(const trainers::TrainingJob& job);

}  // namespace hone::sac
