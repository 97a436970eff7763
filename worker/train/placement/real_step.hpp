// One step of a placed graph as jobs for threads of this machine.
#pragma once

#include <vector>

#include "placement/core/problem.hpp"
#include "worker/train/placement/kernels.hpp"

namespace hone::trainers {

// A task on its device, or a transfer. A lane runs one job at a time, in the order in which they
// became ready: lanes 0..D-1 are the devices, those after them the channels or links.
struct Job {
  int lane = 0;
  RealWork work{};
  std::vector<int> reads;  // tensors
  int copies = -1;         // the tensor of a transfer; -1: a task
  int writes = -1;
  int needs = 0;
  std::vector<int> then;  // jobs that depend on it
};

struct RealStep {
  int devices = 0;
  int lanes = 0;
  std::vector<Job> jobs;  // tasks first, in their order
};

// Builds a step by the rules of the simulator: one transfer of a tensor to each other device that
// needs it, weights from their home at the start, their gradients back at the end. Makes the
// tensors in `kernels`. works: the work of each task.
RealStep real_step(const placement::Problem& problem, const placement::Placement& placement,
                   const std::vector<RealWork>& works, Kernels& kernels);

// The number that a task writes into its output: one more than the sum of all it reads, modulo a
// prime. The numbers depend only on the graph, so a tensor that is read too early is detected.
float token_of(const std::vector<float>& inputs);
inline constexpr int token_modulus = 1009;

}  // namespace hone::trainers
