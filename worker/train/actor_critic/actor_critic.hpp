// The actor-critics, on the same agents, networks and learners:
//   GA3C  agents play groups of environments, predictors evaluate the network for them in batches,
//         trainers turn queued rollouts into updates; one network serves all agents
//         (Babaeizadeh et al., 2017).
//   A3C   every agent predicts and trains on its own thread and applies its gradients to the shared
//         weights without waiting for the others; no queues (Mnih et al., 2016).
//   A2C   every agent predicts on its own thread; the gradients of all agents are added up to one
//         update, after which all agents continue.
//   PPO   one agent; each rollout is trained several times in shuffled minibatches
//         (Schulman et al., 2017).
//   IMPALA  actors predict on their own threads and continue to play while what they played waits;
//         one learner trains it, corrected by V-trace (Espeholt et al., 2018).
#pragma once

#include <memory>

#include "worker/train/run/trainer.hpp"

namespace hone::ga3c {

// Each refuses settings that contradict each other.
Result<std::unique_ptr<trainers::Trainer>> make_ga3c(const trainers::TrainingJob& job);
Result<std::unique_ptr<trainers::Trainer>> make_a3c(const trainers::TrainingJob& job);
Result<std::unique_ptr<trainers::Trainer>> make_a2c(const trainers::TrainingJob& job);
Result<std::unique_ptr<trainers::Trainer>> make_ppo(const trainers::TrainingJob& job);
Result<std::unique_ptr<trainers::Trainer>> make_impala(const trainers::TrainingJob& job);

}  // namespace hone::ga3c
