// A problem from the words of a command line or of a trainer's settings.
#pragma once

#include <string>

#include "placement/core/problem.hpp"

namespace hone::placement {

struct Setup {
  std::string graph;  // a name or a file
  int devices = 2;    // accelerators
  int cpus = 0;       // and CPUs beside them
  std::string device = "p100";
  std::string group = "chain";
  std::string links = "channel";
  double memory_gb = 0;  // of each accelerator; 0: what the graph's file or the profile says
};

// Refuses unknown words with those that may have been meant, and what load_graph and make_problem
// do.
Result<Problem> set_up(const Setup& setup);
// The same for a graph that is there already.
Result<Problem> set_up(Graph graph, const Setup& setup);

}  // namespace hone::placement
