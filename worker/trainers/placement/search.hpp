// The trainer `placement`: an agent samples placements of a graph, the simulator times them.
#pragma once

#include <memory>

#include "worker/trainers/trainer.hpp"

namespace hone::trainers {

Result<std::unique_ptr<Trainer>> make_placement(const TrainingJob& job);

// The step time of the placement that a model holds, simulated anew.
Result<Evaluation> evaluate_placement(const EvaluationPlan& plan);

}  // namespace hone::trainers
