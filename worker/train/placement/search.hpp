// The trainer `placement`: an agent samples placements of a graph, and the simulator returns their
// step times.
#pragma once

#include <memory>

#include "placement/core/problem.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::trainers {

// The graph and the devices that the settings name. Refuses a graph that cannot be read or has
// another digest, and devices on which it cannot run.
Result<placement::Problem> placement_problem(const Settings& settings);

Result<std::unique_ptr<Trainer>> make_placement(const TrainingJob& job);

// Simulates the step time of the placement in a model.
Result<Evaluation> evaluate_placement(const EvaluationPlan& plan);

// A whole run on a problem that the caller supplies.
struct Searched {
  placement::Placement placement;  // empty: none was found that can run
  std::string method;
};
Searched search_placement(const placement::Problem& problem, const TrainingJob& job,
                          const std::stop_token& stop);

}  // namespace hone::trainers
