#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "placement/core/graph.hpp"

namespace hone::placement {
namespace {

// Larger than in any network; sums of such numbers stay finite.
constexpr double largest = 1e30;

bool is_amount(double number) { return number >= 0 && number <= largest; }

struct Quantity {
  const char* name;
  double value;
};

Error at_node(const Graph& graph, std::size_t index, const std::string& what) {
  return refuse(Code::invalid, "node '" + graph.nodes[index].name + "' " + what,
                "/nodes/" + std::to_string(index));
}

std::string shown(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

Status check_shapes(const Graph& graph, std::size_t index) {
  const auto& shapes = graph.nodes[index].shapes;
  const auto wrong = [&](const std::string& what, const std::string& at) {
    Error error = at_node(graph, index, what);
    error.at += "/shapes" + at;
    return error;
  };
  if (shapes.size() > shapes_max)
    return wrong("has more than " + std::to_string(shapes_max) + " shapes", "");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string at = "/" + std::to_string(i);
    if (shapes[i].size() > dimensions_max)
      return wrong("has a shape of more than " + std::to_string(dimensions_max) + " dimensions",
                   at);
    for (std::size_t d = 0; d < shapes[i].size(); ++d)
      if (shapes[i][d] < 0 || shapes[i][d] > dimension_max)
        return wrong("has a dimension of " + std::to_string(shapes[i][d]) +
                         ": it must be a whole number from 0 to 2^40",
                     at + "/" + std::to_string(d));
  }
  return Done{};
}

Status check_quantities(const Graph& graph, std::size_t index) {
  const Node& n = graph.nodes[index];
  for (const Quantity& q :
       {Quantity{"flop", n.flop}, Quantity{"out_bytes", n.out_bytes},
        Quantity{"param_bytes", n.param_bytes}, Quantity{"stored_bytes", n.stored_bytes},
        Quantity{"kernels", n.kernels}, Quantity{"row_bytes", n.row_bytes}})
    if (!is_amount(q.value))
      return at_node(graph, index,
                     std::string("has ") + q.name + " " + shown(q.value) +
                         ": it must be a number from 0 to 1e30");
  for (const Quantity& q : {Quantity{"forward_ms", n.forward_ms},
                            Quantity{"backward_ms", n.backward_ms}, Quantity{"cpu_ms", n.cpu_ms}})
    if (!is_amount(q.value) && q.value != unknown_ms)
      return at_node(graph, index,
                     std::string("has ") + q.name + " " + shown(q.value) +
                         ": a time is a number from 0 to 1e30");
  for (const auto* list : {&n.weights, &n.tables})
    for (const int weight : *list)
      if (weight < 0 || static_cast<std::size_t>(weight) >= graph.weights.size())
        return at_node(graph, index,
                       "uses weight " + std::to_string(weight) + ", which does not exist");
  return Done{};
}

Status check_nodes(const Graph& graph) {
  if (graph.nodes.empty()) return refuse(Code::invalid, "the graph has no nodes", "/nodes");
  std::set<std::string> names;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!names.insert(graph.nodes[i].name).second)
      return at_node(graph, i, "appears twice: every node needs a unique name");
    if (auto fits = check_quantities(graph, i); !fits) return fits;
    if (auto fits = check_shapes(graph, i); !fits) return fits;
  }
  for (std::size_t i = 0; i < graph.weights.size(); ++i)
    if (!is_amount(graph.weights[i].bytes))
      return refuse(Code::invalid,
                    "weight '" + graph.weights[i].name + "' has bytes " +
                        shown(graph.weights[i].bytes) + ": it must be a number from 0 to 1e30",
                    "/weights/" + std::to_string(i));
  return Done{};
}

Status check_edges(const Graph& graph) {
  const auto count = static_cast<int>(graph.nodes.size());
  std::set<std::pair<int, int>> seen;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    const std::string at = "/edges/" + std::to_string(i);
    for (const int end : {edge.from, edge.to})
      if (end < 0 || end >= count)
        return refuse(Code::invalid,
                      "edge " + std::to_string(i) + " names node " + std::to_string(end) +
                          ", which does not exist (" + std::to_string(count) + " nodes)",
                      at);
    const std::string ends = "the edge from '" +
                             graph.nodes[static_cast<std::size_t>(edge.from)].name + "' to '" +
                             graph.nodes[static_cast<std::size_t>(edge.to)].name + "'";
    if (edge.from == edge.to) return refuse(Code::invalid, ends + " leads a node to itself", at);
    if (!seen.insert({edge.from, edge.to}).second)
      return refuse(Code::invalid, ends + " appears twice", at);
    if (!is_amount(edge.bytes) || (!is_amount(edge.leg_ms) && edge.leg_ms != unknown_ms))
      return refuse(Code::invalid,
                    ends + " costs " + shown(edge.leg_ms == unknown_ms ? edge.bytes : edge.leg_ms) +
                        ": a cost is a number from 0 to 1e30",
                    at);
  }
  return Done{};
}

// The names along one cycle, among the nodes that no order can hold.
std::string cycle_text(const Graph& graph, const std::vector<int>& order) {
  std::vector<char> left(graph.nodes.size(), 1);
  for (const int node : order) left[static_cast<std::size_t>(node)] = 0;
  const auto producers = producers_of(graph);
  auto node = static_cast<std::size_t>(std::find(left.begin(), left.end(), 1) - left.begin());
  std::vector<std::size_t> path;
  while (std::find(path.begin(), path.end(), node) == path.end()) {
    path.push_back(node);  // every node that is left has a producer that is left
    for (const int producer : producers[node])
      if (left[static_cast<std::size_t>(producer)] != 0) node = static_cast<std::size_t>(producer);
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), node));
  path.push_back(node);
  std::reverse(path.begin(), path.end());
  constexpr std::size_t shown_max = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(path.size(), shown_max); ++i)
    text += (i == 0 ? "" : " -> ") + graph.nodes[path[i]].name;
  return text + (path.size() > shown_max ? " -> ..." : "");
}

}  // namespace

Status check(const Graph& graph) {
  if (!(graph.batch > 0) || !is_amount(graph.batch))
    return refuse(Code::invalid, "the batch must be a number above 0", "/batch");
  if (!is_amount(graph.device_bytes))
    return refuse(Code::invalid, "a device's memory must be a finite number above 0",
                  "/device_bytes");
  if (auto fits = check_nodes(graph); !fits) return fits;
  if (auto fits = check_edges(graph); !fits) return fits;
  const auto order = topological_order(graph);
  if (order.size() < graph.nodes.size())
    return refuse(Code::invalid, "the graph has a cycle: " + cycle_text(graph, order), "/edges");
  return Done{};
}

}  // namespace hone::placement
