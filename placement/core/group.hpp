// Which nodes are placed together: co-location rules.
#pragma once

#include <string_view>
#include <vector>

#include "placement/core/graph.hpp"

namespace hone::placement {

enum class GroupRule {
  op,      // every node by itself, but for colours: what a framework demands
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
    {"op", GroupRule::op, "every operation by itself, but for what a file colours alike"},
    {"chain", GroupRule::chain, "chains merged into one operation each"},
    {"single", GroupRule::single, "an operation joins its only consumer"},
    {"model", GroupRule::model, "modules, residual blocks and unrolled layers as one each"},
};

// A graph whose nodes are the groups: merged ones where the rule merges (chain), and for each node
// the number of its group.
struct Grouped {
  Graph graph;
  std::vector<int> group_of_node;  // 0..groups-1, by first node
  int groups = 0;
};
Grouped group(const Graph& graph, GroupRule rule);

// Chains as one node each: costs added, the last one's output.
Graph merge_chains(const Graph& graph);

}  // namespace hone::placement
