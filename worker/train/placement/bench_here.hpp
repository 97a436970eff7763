// What this machine's devices reach: the tasks of a graph made small enough to be run, and their
// times, each measured alone.
#pragma once

#include "placement/retime.hpp"
#include "worker/train/placement/lane_threads.hpp"

namespace hone::trainers {

struct Here {
  placement::Problem problem;   // the graph as it runs here
  std::vector<RealWork> works;  // of each task
  double scale = 1;             // of every operation and tensor, at most 1
  double flop_per_s = 0;        // of the slowest device
  double bytes_per_s = 0;       // read and written there
  placement::Link link;         // from the first device to the last

  // Another step on this device alone: tasks that were faster then are taken to be so.
  void learn(int device, const std::vector<double>& job_ms, const Kernels& kernels);
};

// Scales the graph so that a step on the slowest device takes about `step_ms`; then runs steps on
// one device of each kind and takes the least time of each task over `steps`, the first discarded:
// what other programs took away is no cost of the task.
Here bench_here(const placement::Problem& problem, Kernels& kernels, double step_ms, int steps);

}  // namespace hone::trainers
