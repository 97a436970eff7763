// GA3C: agents play groups of environments, predictors answer "what would the network do?" in
// batches, trainers turn queued roll-outs into updates; one network serves all.
#pragma once

#include <memory>

#include "worker/trainers/trainer.hpp"

namespace hone::ga3c {

// Refuses settings that cannot work together.
Result<std::unique_ptr<trainers::Trainer>> make(const trainers::TrainingJob& job);

}  // namespace hone::ga3c
