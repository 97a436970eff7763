// Simulates placements, on several threads if that pays.
#pragma once

#include <memory>
#include <vector>

#include "placement/simulator.hpp"
#include "worker/train/placement/agent.hpp"

namespace hone::trainers {

struct Evaluated {
  Sample sample;
  placement::Cost cost;
};

class Evaluator {
 public:
  Evaluator(const placement::Problem& problem, int threads);

  // In the order of the placements; independent of the number of threads.
  std::vector<Evaluated> evaluate(std::vector<placement::Placement> placements);

 private:
  const placement::Problem& problem_;
  std::vector<std::unique_ptr<placement::Simulator>> simulators_;  // one for each thread
};

}  // namespace hone::trainers
