// Graphs of well-known networks: one training step each, at the granularity of operations.
#pragma once

#include <span>
#include <string_view>

#include "placement/core/graph.hpp"

namespace hone::placement {

using GraphGenerator = Graph();

struct NamedGraph {
  std::string_view name;
  std::string_view summary;
  GraphGenerator* make;
};
std::span<const NamedGraph> graph_table();
const NamedGraph* find_graph(std::string_view name);  // nullptr if there is none

}  // namespace hone::placement
