// Makes a problem from the options of a command or the settings of a trainer.
#pragma once

#include <string>

#include "placement/core/problem.hpp"

namespace hone::placement {

struct Setup {
  std::string graph;  // a name or a file
  int devices = -1;   // accelerators; -1: as the graph's file says, or 2
  int cpus = -1;      // in addition to the accelerators; -1: as the graph's file says, or 0
  std::string device = "p100";
  std::string group = "chain";
  std::string links = "channel";
  double memory_gb = 0;  // of each accelerator; 0: as in the graph's file or the profile
};

// Refuses unknown words, with suggestions, and whatever load_graph and make_problem refuse.
Result<Problem> set_up(const Setup& setup);
// The same for a graph that is loaded already.
Result<Problem> set_up(Graph graph, const Setup& setup);

}  // namespace hone::placement
