// Ape-X DQN (Horgan et al., 2018) as threads: actors, each with its own exploration, play by recent
// weights and compute the first priorities of their transitions; one learner stores and trains
// them. The learner makes an update for every `train_every` frames, and actors wait for it, so that
// runs of equal length make equal numbers of updates on any machine.
#pragma once

#include <memory>

#include "worker/train/run/trainer.hpp"

namespace hone::dqn {

// Refuses settings that contradict each other or the environment.
Result<std::unique_ptr<trainers::Trainer>> make_apex(const trainers::TrainingJob& job);

}  // namespace hone::dqn
