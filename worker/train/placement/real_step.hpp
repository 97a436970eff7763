// One step of a placed graph as jobs that threads of this machine carry out.
#pragma once

#include <vector>

#include "placement/core/problem.hpp"
#include "worker/train/placement/kernels.hpp"

namespace hone::trainers {

// A task on its device, or a transfer. A lane carries out one job at a time, in the order in which
// they became ready: lanes 0..D-1 are the devices, those behind them the channels or links.
struct Job {
  int lane = 0;
  RealWork work{};
  std::vector<int> reads;  // tensors
  int copies = -1;         // a transfer's tensor; -1: a task
  int writes = -1;
  int needs = 0;
  std::vector<int> then;  // jobs that wait for it
};

struct RealStep {
  int devices = 0;
  int lanes = 0;
  std::vector<Job> jobs;  // the tasks first, by their numbers
};

// What the simulator's step is, rule for rule: one transfer of a tensor to each other device that
// needs it, weights from their home at the start, their gradients back at the end. The tensors are
// made in `kernels`. works: of each task.
RealStep real_step(const placement::Problem& problem, const placement::Placement& placement,
                   const std::vector<RealWork>& works, Kernels& kernels);

// What a task writes into its output: one more than all it reads, modulo a prime. So the numbers
// depend on the graph alone, and one that was read too early would show.
float token_of(const std::vector<float>& inputs);
inline constexpr int token_modulus = 1009;

}  // namespace hone::trainers
