// Builds a graph node by node, for the generators.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "placement/core/graph.hpp"

namespace hone::placement {

inline Shape shape_of(std::initializer_list<double> dimensions) {
  Shape shape;
  for (const double dimension : dimensions) shape.push_back(static_cast<std::int64_t>(dimension));
  return shape;
}

class GraphMaker {
 public:
  GraphMaker(std::string name, double batch) {
    graph_.name = std::move(name);
    graph_.batch = batch;
  }

  int weight(std::string name, double numbers) {
    graph_.weights.push_back({std::move(name), 4 * numbers});
    return static_cast<int>(graph_.weights.size()) - 1;
  }

  // Adds a node and an edge from each input; negative inputs mean none.
  int add(Node node, std::initializer_list<int> inputs) {
    const auto index = static_cast<int>(graph_.nodes.size());
    graph_.nodes.push_back(std::move(node));
    for (const int input : inputs) connect(input, index);
    return index;
  }

  void connect(int from, int to) {
    if (from < 0) return;
    graph_.edges.push_back({from, to, graph_.nodes[static_cast<std::size_t>(from)].out_bytes});
  }

  Graph take() { return std::move(graph_); }

 private:
  Graph graph_;
};

}  // namespace hone::placement
