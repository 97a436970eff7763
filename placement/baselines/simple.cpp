// The baselines single, expert, random and m-topo.
#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <string>

#include "placement/baselines/baselines.hpp"
#include "placement/baselines/group_costs.hpp"
#include "placement/core/random_generator.hpp"

namespace hone::placement {
namespace {

// Contiguous parts of `order`, each of about the same work.
Placement cut_evenly(const Problem& problem, const std::vector<int>& order) {
  const auto work = work_of_groups(problem);
  const auto devices = main_devices(problem);
  const double part =
      std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(devices.size());
  Placement placement(static_cast<std::size_t>(problem.groups), 0);
  double done = 0;
  for (const int group : order) {
    const double middle = done + work[static_cast<std::size_t>(group)] / 2;
    const auto index = part > 0 ? static_cast<std::size_t>(middle / part) : 0;
    placement[static_cast<std::size_t>(group)] = devices[std::min(index, devices.size() - 1)];
    done += work[static_cast<std::size_t>(group)];
  }
  return placement;
}

// Whether the graph is unrolled over time: nodes of one module share a weight.
bool recurrent(const Problem& problem) {
  const auto module = [&](const WeightUser& user) -> const std::string& {
    return problem.graph.nodes[static_cast<std::size_t>(user.node)].module;
  };
  const auto& weights = problem.users_of_weight;
  return std::any_of(weights.begin(), weights.end(), [&](const std::vector<WeightUser>& users) {
    return users.size() > 1 && !module(users[0]).empty() && module(users[0]) == module(users[1]);
  });
}

// "decoder3" -> {"decoder", 3}; layer 0 for a module without a number.
std::pair<std::string, int> layer_of(const std::string& module) {
  auto digits = module.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(module[digits - 1])) != 0) --digits;
  if (digits == module.size() || module.size() - digits > 6) return {module, 0};
  return {module.substr(0, digits), std::stoi(module.substr(digits))};
}

// Blocks of layers in the order of the data flow: layer 1 of every stack, layer 2 of every stack,
// ...; if there are more devices than layers, each stack gets its own devices.
Placement place_layers(const Problem& problem) {
  const Graph& graph = problem.graph;
  const auto devices = main_devices(problem);
  std::map<std::string, int> stacks;  // their layers
  std::vector<std::string> stack_order;
  for (const Node& node : graph.nodes) {
    const auto [stack, layer] = layer_of(node.module);
    if (layer == 0) continue;
    if (!stacks.contains(stack)) stack_order.push_back(stack);
    stacks[stack] = std::max(stacks[stack], layer);
  }
  int deepest = 1;
  for (const auto& [stack, layers] : stacks) deepest = std::max(deepest, layers);
  const bool side_by_side = static_cast<int>(devices.size()) <= deepest;
  std::map<std::string, int> before;  // layers of the stacks that come first
  int blocks = side_by_side ? deepest : 0;
  if (!side_by_side)
    for (const auto& stack : stack_order) {
      before[stack] = blocks;
      blocks += stacks[stack];
    }
  const auto device_of_block = [&](int block) {
    return devices[static_cast<std::size_t>(block) * devices.size() /
                   static_cast<std::size_t>(blocks)];
  };
  Placement placement(static_cast<std::size_t>(problem.groups), devices.back());
  std::vector<char> seen(graph.nodes.size(), 0);
  const auto consumers = consumers_of(graph);
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const auto group = static_cast<std::size_t>(problem.group_of_node[i]);
    const auto [stack, layer] = layer_of(graph.nodes[i].module);
    if (layer > 0)
      placement[group] = device_of_block(before[stack] + layer - 1);
    else if (graph.nodes[i].kind == "embedding" && !consumers[i].empty())
      placement[group] = placement[static_cast<std::size_t>(
          problem.group_of_node[static_cast<std::size_t>(consumers[i].front())])];
  }
  return placement;
}

}  // namespace

Result<Placement> place_single(const Problem& problem, std::uint64_t /*seed*/) {
  int best = 0;
  double best_ms = -1;
  for (int d = 0; d < problem.devices(); ++d) {
    double sum = 0;
    for (int task = 0; task < problem.tasks; ++task) sum += problem.cost(task, d);
    if (best_ms >= 0 && sum >= best_ms) continue;
    best = d;
    best_ms = sum;
  }
  Placement placement(static_cast<std::size_t>(problem.groups), best);
  respect_bars(problem, placement);
  return placement;
}

Result<Placement> place_expert(const Problem& problem, std::uint64_t /*seed*/) {
  Placement placement =
      recurrent(problem) ? place_layers(problem) : cut_evenly(problem, groups_in_order(problem));
  respect_bars(problem, placement);
  return placement;
}

Result<Placement> place_random(const Problem& problem, std::uint64_t seed) {
  RandomGenerator generator(seed);
  Placement placement;
  for (int g = 0; g < problem.groups; ++g) placement.push_back(generator.below(problem.devices()));
  respect_bars(problem, placement);
  return placement;
}

Result<Placement> place_m_topo(const Problem& problem, std::uint64_t /*seed*/) {
  const auto bytes = memory_with_weights(problem);
  const auto devices = main_devices(problem);
  const double cap =
      std::accumulate(bytes.begin(), bytes.end(), 0.0) / static_cast<double>(devices.size()) +
      *std::max_element(bytes.begin(), bytes.end());
  Placement placement(static_cast<std::size_t>(problem.groups), 0);
  std::size_t at = 0;
  double used = 0;
  for (const int group : groups_in_order(problem)) {
    const double needed = bytes[static_cast<std::size_t>(group)];
    if (used + needed > cap && at + 1 < devices.size()) {
      ++at;
      used = 0;
    }
    used += needed;
    placement[static_cast<std::size_t>(group)] = devices[at];
  }
  respect_bars(problem, placement);
  return placement;
}

}  // namespace hone::placement
