// The trainer `placement`: an agent samples placements of a graph, the simulator times them.
#pragma once

#include <memory>

#include "placement/core/problem.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::trainers {

// The graph on the devices that the settings name. Refuses what make_placement does.
Result<placement::Problem> placement_problem(const Settings& settings);

Result<std::unique_ptr<Trainer>> make_placement(const TrainingJob& job);

// The step time of the placement that a model holds, simulated anew.
Result<Evaluation> evaluate_placement(const EvaluationPlan& plan);

// A whole run on a problem that the caller made.
struct Searched {
  placement::Placement placement;  // empty: none that fits was found
  std::string method;
};
Searched search_placement(const placement::Problem& problem, const TrainingJob& job,
                          const std::stop_token& stop);

}  // namespace hone::trainers
