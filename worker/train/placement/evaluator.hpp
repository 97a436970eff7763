// Simulates the step times of placements, on several threads if that pays.
#pragma once

#include <memory>
#include <vector>

#include "placement/simulator.hpp"
#include "worker/train/placement/agent.hpp"

namespace hone::trainers {

class Evaluator {
 public:
  Evaluator(const placement::Problem& problem, int threads);

  // In the order of the placements; independent of the number of threads.
  std::vector<Sample> evaluate(std::vector<placement::Placement> placements);

 private:
  void evaluate_some(std::vector<Sample>& samples, std::size_t first, std::size_t stride);

  const placement::Problem& problem_;
  std::vector<std::unique_ptr<placement::Simulator>> simulators_;  // one for each thread
};

}  // namespace hone::trainers
