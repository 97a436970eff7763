// The three actor-critics, on the same agents, networks and learners:
//   GA3C  agents play groups of environments, predictors answer "what would the network do?" in
//         batches, trainers turn queued roll-outs into updates; one network serves all.
//   A3C   every agent predicts and trains on its own thread, and updates the shared weights when
//         it is done; no queues.
//   A2C   every agent predicts on its own thread; all hand in their gradients, the sum is one
//         update, and then all go on.
#pragma once

#include <memory>

#include "worker/train/run/trainer.hpp"

namespace hone::ga3c {

// Each refuses settings that cannot work together.
Result<std::unique_ptr<trainers::Trainer>> make_ga3c(const trainers::TrainingJob& job);
Result<std::unique_ptr<trainers::Trainer>> make_a3c(const trainers::TrainingJob& job);
Result<std::unique_ptr<trainers::Trainer>> make_a2c(const trainers::TrainingJob& job);

}  // namespace hone::ga3c
