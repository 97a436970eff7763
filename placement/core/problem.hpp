// A graph on given devices, prepared for thousands of simulations: the tasks of one step, their
// times on each device, and their dependencies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/core/device.hpp"
#include "placement/core/graph.hpp"
#include "placement/core/group.hpp"

namespace hone::placement {

// The device of each group.
using Placement = std::vector<int>;

enum class TaskKind : std::uint8_t { forward, backward };

// A dependent of a task, and the bytes that it is sent if it runs on another device.
struct Arc {
  int to = 0;
  double bytes = 0;
  double leg_ms = unknown_ms;
};

struct Link {
  double latency_ms = 0;
  double ms_per_byte = 0;
  double legs = 0;  // how often a tensor crosses between a device and host memory
};

struct WeightUser {
  int node = 0;
  double bytes = 0;  // that it reads: all of the weight, or rows of a table
};

struct Problem {
  Graph graph;  // as grouped
  Cluster cluster;
  std::vector<int> group_of_node;
  int groups = 0;
  std::vector<std::vector<int>> nodes_of_group;

  // Tasks 0..N-1 are the forward ones of nodes 0..N-1; then, in training, the backward ones.
  int tasks = 0;
  std::vector<int> node_of_task;
  std::vector<int> group_of_task;
  std::vector<double> cost_ms;  // [task * devices + device]
  std::vector<int> arc_begin;   // tasks + 1
  std::vector<Arc> arcs;
  std::vector<int> needs;    // arcs into each task
  std::vector<int> may_run;  // [group * devices + device]: no node of it is barred

  // In order: the device of the first user is the weight's home.
  std::vector<std::vector<WeightUser>> users_of_weight;
  std::vector<std::vector<int>> weights_of_node;  // read whole or by rows

  std::vector<Link> links;              // [from * devices + to]
  std::vector<double> memory_of_group;  // bytes, without weights that are shared
  std::vector<double> capacity_bytes;   // of each device, usable
  double one_device_ms = 0;             // on the best single device, whatever its memory
  double one_device_bytes = 0;          // that the whole graph takes on one device
  double failed_ms = 0;                 // step time of a placement that cannot run
  // What the memory of one_device_bytes is worth, in steps on one device: see Simulator::cost().
  double memory_weight = 0;

  [[nodiscard]] int devices() const { return static_cast<int>(cluster.devices.size()); }
  [[nodiscard]] TaskKind kind(int task) const {
    return task < static_cast<int>(graph.nodes.size()) ? TaskKind::forward : TaskKind::backward;
  }
  [[nodiscard]] double cost(int task, int device) const {
    return cost_ms[static_cast<std::size_t>(task * devices() + device)];
  }
  // The time of a transfer from one device to another.
  [[nodiscard]] double transfer_ms(int from, int to, double bytes, double leg_ms) const {
    const Link& link = links[static_cast<std::size_t>(from * devices() + to)];
    return leg_ms >= 0 ? leg_ms * link.legs : link.latency_ms + bytes * link.ms_per_byte;
  }
};

struct ProblemPlan {
  GroupRule rule = GroupRule::chain;
  Cluster cluster;
};

// Refuses a node or a group that fits no device, and a graph that all devices together cannot hold.
// Precondition: check(graph) passes.
Result<Problem> make_problem(const Graph& graph, const ProblemPlan& plan);

// Writes the bytes that each device needs into `bytes`: weights and activations of its groups, a
// copy of every remote input, and of every weight whose home is another device.
void memory_of(const Problem& problem, const Placement& placement, std::vector<double>& bytes);
bool fits(const Problem& problem, const Placement& placement, std::vector<double>& bytes);

}  // namespace hone::placement
