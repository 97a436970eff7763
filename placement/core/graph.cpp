#include "placement/core/graph.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <sstream>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace hone::placement {
namespace {

constexpr double bytes_of_number = 4;

}  // namespace

Totals totals_of(const Graph& graph) {
  Totals totals;
  for (const Node& node : graph.nodes) {
    totals.params += node.param_bytes / bytes_of_number;
    totals.flop += node.flop;
    totals.out_bytes += node.out_bytes;
    totals.stored_bytes += node.stored_bytes;
    totals.kernels += node.kernels;
  }
  for (const Weight& weight : graph.weights) totals.params += weight.bytes / bytes_of_number;
  return totals;
}

std::vector<std::vector<int>> consumers_of(const Graph& graph) {
  std::vector<std::vector<int>> consumers(graph.nodes.size());
  for (const Edge& edge : graph.edges)
    consumers[static_cast<std::size_t>(edge.from)].push_back(edge.to);
  return consumers;
}

std::vector<std::vector<int>> producers_of(const Graph& graph) {
  std::vector<std::vector<int>> producers(graph.nodes.size());
  for (const Edge& edge : graph.edges)
    producers[static_cast<std::size_t>(edge.to)].push_back(edge.from);
  return producers;
}

std::vector<int> topological_order(const Graph& graph) {
  const auto consumers = consumers_of(graph);
  std::vector<int> waiting(graph.nodes.size());
  for (const Edge& edge : graph.edges) ++waiting[static_cast<std::size_t>(edge.to)];
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (waiting[i] == 0) ready.push(static_cast<int>(i));
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const int next : consumers[static_cast<std::size_t>(order.back())])
      if (--waiting[static_cast<std::size_t>(next)] == 0) ready.push(next);
  }
  return order;
}

std::string dot_text(const Graph& graph, const std::vector<int>& device_of_node) {
  std::ostringstream text;
  text << "digraph " << quoted_text(graph.name) << " {\n  node [shape=box, style=filled, "
       << "colorscheme=set312, fillcolor=white];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    text << "  n" << i << " [label=" << quoted_text(graph.nodes[i].name);
    if (!device_of_node.empty()) text << ", fillcolor=" << device_of_node[i] % 12 + 1;
    text << "];\n";
  }
  for (const Edge& edge : graph.edges) text << "  n" << edge.from << " -> n" << edge.to << ";\n";
  text << "}\n";
  return text.str();
}

std::string canonical_text(const Graph& graph) {
  std::string text = "hone-graph-1 " + exact_number_text(graph.batch) +
                     (graph.training ? " t " : " f ") + exact_number_text(graph.device_bytes) +
                     "\n";
  for (const Node& n : graph.nodes) {
    text += quoted_text(n.name) + quoted_text(n.kind) + quoted_text(n.module);
    for (const double number : {n.flop, n.out_bytes, n.param_bytes, n.stored_bytes, n.kernels,
                                n.row_bytes, n.forward_ms, n.backward_ms, n.cpu_ms})
      text += " " + exact_number_text(number);
    text += " c" + std::to_string(n.color) + (n.accelerator ? " a" : " h");
    for (const int weight : n.weights) text += " w" + std::to_string(weight);
    for (const int table : n.tables) text += " r" + std::to_string(table);
    text += "\n";
  }
  for (const Weight& weight : graph.weights)
    text += quoted_text(weight.name) + " " + exact_number_text(weight.bytes) + "\n";
  for (const Edge& edge : graph.edges)
    text += std::to_string(edge.from) + ">" + std::to_string(edge.to) + " " +
            exact_number_text(edge.bytes) + " " + exact_number_text(edge.leg_ms) + "\n";
  return text;
}

std::string digest_of(const Graph& graph) { return sha256_hex(canonical_text(graph)); }

bool has_shapes(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) { return !node.shapes.empty(); });
}

std::string digest_with_shapes(const Graph& graph) {
  if (!has_shapes(graph)) return digest_of(graph);
  std::string text = canonical_text(graph);
  for (const Node& node : graph.nodes) {
    text += "s";
    for (const Shape& shape : node.shapes) {
      text += " [";
      for (const std::int64_t dimension : shape) text += " " + std::to_string(dimension);
      text += " ]";
    }
    text += "\n";
  }
  return sha256_hex(text);
}

}  // namespace hone::placement
