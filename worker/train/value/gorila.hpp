// Gorila (Nair et al., 2015) as threads: nodes of an actor, a learner and a replay memory each, and
// a parameter server in shards. A node makes an update for every `train_every` frames that it
// plays, so that runs of equal length compute equal numbers of gradients on any machine.
#pragma once

#include <memory>

#include "worker/train/run/trainer.hpp"

namespace hone::dqn {

// Refuses settings that contradict each other or the environment.
Result<std::unique_ptr<trainers::Trainer>> make_gorila(const trainers::TrainingJob& job);

}  // namespace hone::dqn
