#include "placement/core/group.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace hone::placement {
namespace {

class Union {
 public:
  explicit Union(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  int root(int i) {
    auto at = static_cast<std::size_t>(i);
    while (parent_[at] != static_cast<int>(at)) {
      parent_[at] = parent_[static_cast<std::size_t>(parent_[at])];
      at = static_cast<std::size_t>(parent_[at]);
    }
    return static_cast<int>(at);
  }

  bool join(int a, int b) {
    const int low = std::min(root(a), root(b));
    const int high = std::max(root(a), root(b));
    parent_[static_cast<std::size_t>(high)] = low;
    return low != high;
  }

 private:
  std::vector<int> parent_;
};

void join_colours(const Graph& graph, Union& groups) {
  std::map<int, int> first;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].color < 0) continue;
    const auto [found, fresh] = first.emplace(graph.nodes[i].color, static_cast<int>(i));
    if (!fresh) groups.join(found->second, static_cast<int>(i));
  }
}

void join_modules(const Graph& graph, Union& groups) {
  std::map<std::string, int> first;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].module.empty()) continue;
    const auto [found, fresh] = first.emplace(graph.nodes[i].module, static_cast<int>(i));
    if (!fresh) groups.join(found->second, static_cast<int>(i));
  }
}

// Counts groups, not nodes: joining two may leave a third with a single consumer.
void join_single_consumers(const Graph& graph, Union& groups) {
  const auto consumers = consumers_of(graph);
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const auto& next = consumers[i];
      if (next.empty()) continue;
      const int only = groups.root(next.front());
      if (std::all_of(next.begin(), next.end(), [&](int c) { return groups.root(c) == only; }))
        changed |= groups.join(static_cast<int>(i), only);
    }
  }
}

bool may_share_chain(const Node& a, const Node& b) {
  return a.accelerator == b.accelerator && (a.forward_ms < 0) == (b.forward_ms < 0) &&
         (a.backward_ms < 0) == (b.backward_ms < 0) && (a.cpu_ms < 0) == (b.cpu_ms < 0) &&
         (a.color == b.color || a.color < 0 || b.color < 0);
}

void add_missing(std::vector<int>& list, const std::vector<int>& more) {
  for (const int item : more)
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

// Appends a node to a chain, which is named after the node with the most work.
void append(Node& chain, const Node& next) {
  if (next.flop > chain.flop) {
    chain.kind = next.kind;
    chain.module = next.module;
  }
  chain.flop += next.flop;
  chain.out_bytes = next.out_bytes;
  chain.shapes = next.shapes;
  chain.param_bytes += next.param_bytes;
  chain.stored_bytes += next.stored_bytes;
  chain.kernels += next.kernels;
  chain.row_bytes += next.row_bytes;
  chain.color = std::max(chain.color, next.color);
  if (chain.forward_ms >= 0) chain.forward_ms += next.forward_ms;
  if (chain.backward_ms >= 0) chain.backward_ms += next.backward_ms;
  if (chain.cpu_ms >= 0) chain.cpu_ms += next.cpu_ms;
  add_missing(chain.weights, next.weights);
  add_missing(chain.tables, next.tables);
}

// Names a long chain by its ends.
std::string short_name(const std::string& first, const std::string& last, int members) {
  if (members == 1) return first;
  return first + ".." + last + " (" + std::to_string(members) + ")";
}

}  // namespace

Graph merge_chains(const Graph& graph) {
  const auto consumers = consumers_of(graph);
  const auto producers = producers_of(graph);
  Graph merged = graph;
  merged.nodes.clear();
  merged.edges.clear();
  std::vector<int> place(graph.nodes.size(), -1);
  std::vector<int> members;
  std::vector<std::string> firsts;
  for (const int index : topological_order(graph)) {
    const auto at = static_cast<std::size_t>(index);
    const Node& node = graph.nodes[at];
    int into = -1;
    if (producers[at].size() == 1) {
      const auto producer = static_cast<std::size_t>(producers[at].front());
      if (consumers[producer].size() == 1) into = place[producer];
    }
    if (into >= 0 && may_share_chain(merged.nodes[static_cast<std::size_t>(into)], node)) {
      const auto chain = static_cast<std::size_t>(into);
      append(merged.nodes[chain], node);
      merged.nodes[chain].name = short_name(firsts[chain], node.name, ++members[chain]);
      place[at] = into;
      continue;
    }
    place[at] = static_cast<int>(merged.nodes.size());
    merged.nodes.push_back(node);
    members.push_back(1);
    firsts.push_back(node.name);
  }
  for (Edge edge : graph.edges) {
    edge.from = place[static_cast<std::size_t>(edge.from)];
    edge.to = place[static_cast<std::size_t>(edge.to)];
    if (edge.from != edge.to) merged.edges.push_back(edge);
  }
  return merged;
}

Grouped group(const Graph& graph, GroupRule rule) {
  Grouped grouped;
  grouped.graph = rule == GroupRule::chain ? merge_chains(graph) : graph;
  const auto count = grouped.graph.nodes.size();
  Union groups(count);
  join_colours(grouped.graph, groups);
  if (rule == GroupRule::single) join_single_consumers(grouped.graph, groups);
  if (rule == GroupRule::model) join_modules(grouped.graph, groups);
  std::vector<int> number(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto root = static_cast<std::size_t>(groups.root(static_cast<int>(i)));
    if (number[root] < 0) number[root] = grouped.groups++;
    grouped.group_of_node.push_back(number[root]);
  }
  return grouped;
}

}  // namespace hone::placement
