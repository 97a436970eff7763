#include "placement/core/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace hone::placement {
namespace {

constexpr double backward_factor = 2;   // of the forward time, if it was not measured
constexpr double cpu_factor = 10;       // of an accelerator's time, if it was not measured
constexpr double memory_reached = 0.7;  // of the peak memory bandwidth
constexpr double failed_factor = 10;    // of the time on one device
constexpr double training_copies = 4;   // weight, gradient, and Adam's two

double shared_bytes(const Graph& graph, const Node& node) {
  double bytes = 0;
  for (const int weight : node.weights)
    bytes += graph.weights[static_cast<std::size_t>(weight)].bytes;
  return bytes;
}

double forward_ms(const Graph& graph, const Node& node, const DeviceProfile& device) {
  if (!device.accelerator && node.cpu_ms >= 0) return node.cpu_ms;
  if (node.forward_ms >= 0) return node.forward_ms * (device.accelerator ? 1 : cpu_factor);
  const double weights = shared_bytes(graph, node) + node.row_bytes;
  const double bytes = node.stored_bytes + node.param_bytes + weights + node.out_bytes;
  const double seconds = std::max(node.flop / (device.flop_per_s * device.efficiency),
                                  bytes / (memory_reached * device.memory_per_s));
  return 1e3 * seconds + node.kernels * device.launch_ms;
}

double backward_ms(const Node& node, const DeviceProfile& device, double forward) {
  if (node.backward_ms < 0) return backward_factor * forward;
  if (device.accelerator) return node.backward_ms;
  const bool measured = node.forward_ms > 0;
  return node.backward_ms * (measured ? forward / node.forward_ms : cpu_factor);
}

void put_costs(Problem& problem) {
  const Graph& graph = problem.graph;
  const auto devices = problem.cluster.devices.size();
  const auto nodes = graph.nodes.size();
  problem.cost_ms.assign(static_cast<std::size_t>(problem.tasks) * devices, 0);
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t d = 0; d < devices; ++d) {
      const DeviceProfile& device = problem.cluster.devices[d];
      const double forward = forward_ms(graph, graph.nodes[i], device);
      problem.cost_ms[i * devices + d] = forward;
      if (graph.training)
        problem.cost_ms[(nodes + i) * devices + d] = backward_ms(graph.nodes[i], device, forward);
    }
}

void put_arcs(Problem& problem) {
  const Graph& graph = problem.graph;
  const auto nodes = static_cast<int>(graph.nodes.size());
  std::vector<std::vector<Arc>> out(static_cast<std::size_t>(problem.tasks));
  problem.needs.assign(static_cast<std::size_t>(problem.tasks), 0);
  const auto put = [&](int from, Arc arc) {
    out[static_cast<std::size_t>(from)].push_back(arc);
    ++problem.needs[static_cast<std::size_t>(arc.to)];
  };
  for (const Edge& edge : graph.edges) {
    put(edge.from, {edge.to, edge.bytes, edge.leg_ms});
    if (graph.training) put(nodes + edge.to, {nodes + edge.from, edge.bytes, edge.leg_ms});
  }
  if (graph.training)
    for (int i = 0; i < nodes; ++i) put(i, {nodes + i, 0});
  problem.arc_begin.push_back(0);
  for (auto& arcs : out) {
    problem.arcs.insert(problem.arcs.end(), arcs.begin(), arcs.end());
    problem.arc_begin.push_back(static_cast<int>(problem.arcs.size()));
  }
}

// A node that reads a weight both ways reads all of it.
void put_user(Problem& problem, int weight, WeightUser user) {
  auto& users = problem.users_of_weight[as_index(weight)];
  if (!users.empty() && users.back().node == user.node) return;
  users.push_back(user);
  problem.weights_of_node[as_index(user.node)].push_back(weight);
}

void put_memory(Problem& problem) {
  const Graph& graph = problem.graph;
  problem.users_of_weight.resize(graph.weights.size());
  problem.weights_of_node.resize(graph.nodes.size());
  problem.memory_of_group.assign(static_cast<std::size_t>(problem.groups), 0);
  const double copies = graph.training ? training_copies : 1;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    problem.memory_of_group[static_cast<std::size_t>(problem.group_of_node[i])] +=
        copies * node.param_bytes + node.stored_bytes;
    for (const int weight : node.weights)
      put_user(problem, weight, {static_cast<int>(i), graph.weights[as_index(weight)].bytes});
    for (const int table : node.tables)
      put_user(problem, table,
               {static_cast<int>(i), node.row_bytes / static_cast<double>(node.tables.size())});
  }
  for (const DeviceProfile& device : problem.cluster.devices) {
    const bool told = graph.device_bytes > 0 && device.accelerator;
    problem.capacity_bytes.push_back(told ? graph.device_bytes
                                          : problem.cluster.usable * device.memory_bytes);
  }
}

void put_groups(Problem& problem) {
  const auto devices = problem.cluster.devices.size();
  problem.nodes_of_group.resize(static_cast<std::size_t>(problem.groups));
  problem.may_run.assign(static_cast<std::size_t>(problem.groups) * devices, 1);
  for (std::size_t i = 0; i < problem.graph.nodes.size(); ++i) {
    const auto group = static_cast<std::size_t>(problem.group_of_node[i]);
    problem.nodes_of_group[group].push_back(static_cast<int>(i));
    for (std::size_t d = 0; d < devices; ++d)
      if (!problem.graph.nodes[i].accelerator && problem.cluster.devices[d].accelerator)
        problem.may_run[group * devices + d] = 0;
  }
  for (int task = 0; task < problem.tasks; ++task) {
    const int node = task % static_cast<int>(problem.graph.nodes.size());
    problem.node_of_task.push_back(node);
    problem.group_of_task.push_back(problem.group_of_node[static_cast<std::size_t>(node)]);
  }
}

void put_links(Problem& problem) {
  for (const DeviceProfile& a : problem.cluster.devices)
    for (const DeviceProfile& b : problem.cluster.devices)
      problem.links.push_back({std::max(a.latency_ms, b.latency_ms),
                               1e3 / std::min(a.link_per_s, b.link_per_s),
                               (a.accelerator ? 1.0 : 0.0) + (b.accelerator ? 1.0 : 0.0)});
}

void put_one_device(Problem& problem) {
  double best = HUGE_VAL;
  for (int d = 0; d < problem.devices(); ++d) {
    double sum = 0;
    for (int task = 0; task < problem.tasks; ++task) sum += problem.cost(task, d);
    const bool allowed =
        std::all_of(problem.graph.nodes.begin(), problem.graph.nodes.end(), [&](const Node& node) {
          return node.accelerator ||
                 !problem.cluster.devices[static_cast<std::size_t>(d)].accelerator;
        });
    if (allowed || d == 0) best = std::min(best, sum);
  }
  problem.one_device_ms = best;
  problem.failed_ms = failed_factor * best;
  std::vector<double> bytes;
  memory_of(problem, Placement(static_cast<std::size_t>(problem.groups), 0), bytes);
  problem.one_device_bytes = bytes.front();
}

std::string gb(double bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g GB", bytes / 1e9);
  return text;
}

// The bytes of a group: its own and, once each, the shared weights.
double least_bytes(const Problem& problem, std::size_t group) {
  std::set<int> weights;
  for (const int node : problem.nodes_of_group[group])
    for (const int weight : problem.weights_of_node[as_index(node)]) weights.insert(weight);
  double bytes = problem.memory_of_group[group];
  for (const int weight : weights)
    bytes += 2 * problem.graph.weights[static_cast<std::size_t>(weight)].bytes;
  return bytes;
}

Status check_fit(const Problem& problem) {
  const auto devices = static_cast<std::size_t>(problem.devices());
  double needed = 0;
  double held = 0;
  for (const double bytes : problem.capacity_bytes) held += bytes;
  for (std::size_t g = 0; g < static_cast<std::size_t>(problem.groups); ++g) {
    const int first = problem.nodes_of_group[g].front();
    const Node& node = problem.graph.nodes[static_cast<std::size_t>(first)];
    const std::string at = "/nodes/" + std::to_string(first);
    const std::string who = problem.nodes_of_group[g].size() == 1
                                ? "node '" + node.name + "'"
                                : "the group of node '" + node.name + "' (" +
                                      std::to_string(problem.nodes_of_group[g].size()) + " nodes)";
    bool allowed = false;
    double room = 0;
    for (std::size_t d = 0; d < devices; ++d)
      if (problem.may_run[g * devices + d] != 0) {
        allowed = true;
        room = std::max(room, problem.capacity_bytes[d]);
      }
    if (!allowed)
      return refuse(Code::invalid,
                    who + " runs on no accelerator and there is no CPU among the devices: add one",
                    at);
    const double bytes = least_bytes(problem, g);
    if (bytes > room)
      return refuse(Code::invalid,
                    who + " needs " + gb(bytes) + " and fits no device (" + gb(room) +
                        " usable): take larger devices",
                    at);
    needed += problem.memory_of_group[g];
  }
  if (needed > held)
    return refuse(Code::invalid, "the graph needs " + gb(needed) + " and " +
                                     std::to_string(devices) + " devices hold " + gb(held) +
                                     " together: take more or larger ones");
  return Done{};
}

}  // namespace

Result<Problem> make_problem(const Graph& graph, const ProblemPlan& plan) {
  Problem problem;
  auto grouped = group(graph, plan.rule);
  problem.graph = std::move(grouped.graph);
  problem.cluster = plan.cluster;
  problem.group_of_node = std::move(grouped.group_of_node);
  problem.groups = grouped.groups;
  problem.tasks = static_cast<int>(problem.graph.nodes.size()) * (problem.graph.training ? 2 : 1);
  put_groups(problem);
  put_costs(problem);
  put_arcs(problem);
  put_memory(problem);
  put_links(problem);
  put_one_device(problem);
  if (auto fit = check_fit(problem); !fit) return std::move(fit).error();
  if (!(problem.one_device_ms > 0))
    return refuse(Code::invalid, "no node of the graph costs any time: give them flop or times",
                  "/nodes");
  return problem;
}

namespace {

// Adds a copy of each tensor for each other device that reads it.
void add_copies(const Problem& problem, const Placement& placement, std::vector<double>& bytes) {
  for (std::size_t node = 0; node < problem.graph.nodes.size(); ++node) {
    const int home = placement[static_cast<std::size_t>(problem.group_of_node[node])];
    std::uint64_t sent = std::uint64_t{1} << home;
    for (int a = problem.arc_begin[node]; a < problem.arc_begin[node + 1]; ++a) {
      const Arc& arc = problem.arcs[static_cast<std::size_t>(a)];
      const auto group = problem.group_of_task[static_cast<std::size_t>(arc.to)];
      const int there = placement[static_cast<std::size_t>(group)];
      if (((sent >> there) & 1) != 0) continue;
      sent |= std::uint64_t{1} << there;
      bytes[static_cast<std::size_t>(there)] += arc.bytes;
    }
  }
}

// Adds each weight whole at its home, and on other devices a copy of what they read and its
// gradient.
void add_weights(const Problem& problem, const Placement& placement, std::vector<double>& bytes) {
  const bool training = problem.graph.training;
  std::vector<double> read(bytes.size());
  for (std::size_t w = 0; w < problem.users_of_weight.size(); ++w) {
    const auto& users = problem.users_of_weight[w];
    if (users.empty()) continue;
    const double whole = problem.graph.weights[w].bytes;
    std::fill(read.begin(), read.end(), 0.0);
    for (const WeightUser& user : users)
      read[as_index(placement[as_index(problem.group_of_node[as_index(user.node)])])] += user.bytes;
    read[as_index(placement[as_index(problem.group_of_node[as_index(users.front().node)])])] = 0;
    bytes[as_index(placement[as_index(problem.group_of_node[as_index(users.front().node)])])] +=
        whole * (training ? training_copies : 1);
    for (std::size_t d = 0; d < bytes.size(); ++d)
      bytes[d] += std::min(whole, read[d]) * (training ? 2 : 1);
  }
}

}  // namespace

void memory_of(const Problem& problem, const Placement& placement, std::vector<double>& bytes) {
  bytes.assign(static_cast<std::size_t>(problem.devices()), 0);
  for (std::size_t g = 0; g < placement.size(); ++g)
    bytes[static_cast<std::size_t>(placement[g])] += problem.memory_of_group[g];
  add_copies(problem, placement, bytes);
  add_weights(problem, placement, bytes);
}

bool fits(const Problem& problem, const Placement& placement, std::vector<double>& bytes) {
  const auto devices = static_cast<std::size_t>(problem.devices());
  for (std::size_t g = 0; g < placement.size(); ++g)
    if (problem.may_run[g * devices + static_cast<std::size_t>(placement[g])] == 0) return false;
  memory_of(problem, placement, bytes);
  for (std::size_t d = 0; d < devices; ++d)
    if (bytes[d] > problem.capacity_bytes[d]) return false;
  return true;
}

}  // namespace hone::placement
