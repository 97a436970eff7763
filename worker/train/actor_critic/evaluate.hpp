// Plays a saved model without learning.
#pragma once

#include "worker/train/run/trainer.hpp"

namespace hone::ga3c {

// Refuses a file that is not a model of ga3c, or an environment the model does not fit.
Result<trainers::Evaluation> evaluate(const trainers::EvaluationPlan& plan);

}  // namespace hone::ga3c
