// Co-location rules: which nodes are placed together.
#pragma once

#include <string_view>
#include <vector>

#include "placement/core/graph.hpp"

namespace hone::placement {

enum class GroupRule {
  op,      // every node separately, except for the colours that a framework demands
  chain,   // a node joins its producer where it has one input and the producer one consumer
  single,  // a node joins its only consumer, until nothing changes
  model,   // nodes of one module together: an unrolled layer, an inception module, a residual block
};

struct GroupRuleRow {
  std::string_view word;
  GroupRule rule;
  std::string_view summary;
};
inline constexpr GroupRuleRow group_rules[] = {
    {"op", GroupRule::op, "every operation separately, except those that a file colours alike"},
    {"chain", GroupRule::chain, "chains merged into one operation each"},
    {"single", GroupRule::single, "an operation joins its only consumer"},
    {"model", GroupRule::model, "modules, residual blocks and unrolled layers as one each"},
};

// A graph, with chains merged if the rule merges them, and the number of each node's group.
struct Grouped {
  Graph graph;
  std::vector<int> group_of_node;  // 0..groups-1, by first node
  int groups = 0;
};
Grouped group(const Graph& graph, GroupRule rule);

// Merges each chain into one node with the sum of the costs and the output of the last node.
Graph merge_chains(const Graph& graph);

}  // namespace hone::placement
