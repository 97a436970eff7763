// Measures the devices of this machine: scales a graph so that it can be run, and times each of its
// tasks alone.
#pragma once

#include "placement/retime.hpp"
#include "worker/train/placement/lane_threads.hpp"

namespace hone::trainers {

struct Here {
  placement::Problem problem;   // the graph, scaled for this machine
  std::vector<RealWork> works;  // of each task
  double scale = 1;             // of every operation and tensor, at most 1
  double flop_per_s = 0;        // of the slowest device
  double bytes_per_s = 0;       // read and written there
  placement::Link link;         // from the first device to the last

  // Takes another step on this device alone: the smaller time of each task counts.
  void learn(int device, const std::vector<double>& job_ms, const Kernels& kernels);
};

// Scales the graph so that a step on the slowest device takes about `step_ms`; then runs steps on
// one device of each kind and takes the least time of each task over `steps`, the first discarded,
// which leaves out the load of other programs.
Here bench_here(const placement::Problem& problem, Kernels& kernels, double step_ms, int steps);

}  // namespace hone::trainers
