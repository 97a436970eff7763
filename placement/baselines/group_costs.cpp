#include "placement/baselines/group_costs.hpp"

#include <algorithm>
#include <map>

namespace hone::placement {

std::vector<double> work_of_groups(const Problem& problem) {
  std::vector<double> work(static_cast<std::size_t>(problem.groups), 0);
  const auto devices = static_cast<std::size_t>(problem.devices());
  for (int task = 0; task < problem.tasks; ++task) {
    const auto group =
        static_cast<std::size_t>(problem.group_of_task[static_cast<std::size_t>(task)]);
    int device = 0;
    while (problem.may_run[group * devices + static_cast<std::size_t>(device)] == 0) ++device;
    work[group] += problem.cost(task, device);
  }
  return work;
}

std::vector<double> memory_with_weights(const Problem& problem) {
  auto bytes = problem.memory_of_group;
  const double copies = problem.graph.training ? 4 : 1;
  for (std::size_t w = 0; w < problem.users_of_weight.size(); ++w) {
    if (problem.users_of_weight[w].empty()) continue;
    const auto node = static_cast<std::size_t>(problem.users_of_weight[w].front().node);
    bytes[static_cast<std::size_t>(problem.group_of_node[node])] +=
        copies * problem.graph.weights[w].bytes;
  }
  return bytes;
}

std::vector<int> groups_in_order(const Problem& problem) {
  std::vector<int> order;
  std::vector<char> seen(static_cast<std::size_t>(problem.groups), 0);
  for (const int node : topological_order(problem.graph)) {
    const int group = problem.group_of_node[static_cast<std::size_t>(node)];
    if (seen[static_cast<std::size_t>(group)] != 0) continue;
    seen[static_cast<std::size_t>(group)] = 1;
    order.push_back(group);
  }
  return order;
}

std::vector<std::vector<Tie>> ties_of_groups(const Problem& problem) {
  const int other = problem.devices() > 1 ? 1 : 0;
  std::map<std::pair<int, int>, double> sums;
  for (const Edge& edge : problem.graph.edges) {
    const int a = problem.group_of_node[static_cast<std::size_t>(edge.from)];
    const int b = problem.group_of_node[static_cast<std::size_t>(edge.to)];
    if (a != b)
      sums[{std::min(a, b), std::max(a, b)}] +=
          problem.transfer_ms(0, other, edge.bytes, edge.leg_ms);
  }
  std::vector<std::vector<Tie>> ties(static_cast<std::size_t>(problem.groups));
  for (const auto& [pair, ms] : sums) {
    ties[static_cast<std::size_t>(pair.first)].push_back({pair.second, ms});
    ties[static_cast<std::size_t>(pair.second)].push_back({pair.first, ms});
  }
  return ties;
}

std::vector<int> main_devices(const Problem& problem) {
  std::vector<int> accelerators;
  for (int d = 0; d < problem.devices(); ++d)
    if (problem.cluster.devices[static_cast<std::size_t>(d)].accelerator) accelerators.push_back(d);
  if (!accelerators.empty()) return accelerators;
  for (int d = 0; d < problem.devices(); ++d) accelerators.push_back(d);
  return accelerators;
}

void respect_bars(const Problem& problem, Placement& placement) {
  const auto devices = static_cast<std::size_t>(problem.devices());
  for (std::size_t g = 0; g < placement.size(); ++g) {
    if (problem.may_run[g * devices + static_cast<std::size_t>(placement[g])] != 0) continue;
    const auto begin = problem.may_run.begin() + static_cast<std::ptrdiff_t>(g * devices);
    placement[g] = static_cast<int>(std::find(begin, begin + problem.devices(), 1) - begin);
  }
}

}  // namespace hone::placement
