// Evaluates a saved model: plays it without learning.
#pragma once

#include "worker/train/run/trainer.hpp"

namespace hone::rl {

// Refuses a file that is not a model of ga3c, a3c or a2c, and an environment whose observations or
// actions differ from those of the model.
Result<trainers::Evaluation> evaluate(const trainers::EvaluationPlan& plan);

}  // namespace hone::rl
