// A computation graph that is placed on devices: its operations, their costs and their tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace hone::placement {

constexpr double unknown_ms = -1;  // not measured: computed from the device's profile

using Shape = std::vector<std::int64_t>;  // the dimensions of a tensor

// Bounds of a file's shapes: more than networks have, little enough for graphs of many nodes.
constexpr std::size_t shapes_max = 16;  // of a node
constexpr std::size_t dimensions_max = 8;
constexpr std::int64_t dimension_max = std::int64_t{1} << 40;

// An operation, or several that always run one after another.
struct Node {
  std::string name;
  std::string kind;          // "conv", "lstm", ...; empty if a file has none
  std::string module;        // nodes of one module belong together under the model's own rule
  double flop = 0;           // forward, the whole batch
  double out_bytes = 0;      // of the tensor that its consumers read
  double param_bytes = 0;    // its own; shared ones are in `weights`
  double stored_bytes = 0;   // activations kept for the backward pass
  double kernels = 0;        // launches of a forward pass
  std::vector<int> weights;  // indexes into Graph::weights
  std::vector<int> tables;   // weights of which it reads a few rows: those of embeddings
  double row_bytes = 0;      // of these rows
  int color = -1;            // nodes of one colour must share a device; -1: free
  bool accelerator = true;   // may run on one
  double forward_ms = unknown_ms;
  double backward_ms = unknown_ms;
  double cpu_ms = unknown_ms;  // forward, on a CPU
  std::vector<Shape> shapes;   // of its outputs, where they are known; they cost nothing
};

// Parameters that several nodes use: those of a layer unrolled over time.
struct Weight {
  std::string name;
  double bytes = 0;
};

struct Edge {
  int from = 0;
  int to = 0;
  double bytes = 0;
  double leg_ms = unknown_ms;  // between a device and host memory, if a file has it
};

struct Graph {
  std::string name;
  double batch = 1;
  bool training = true;  // every node also runs backward, after its consumers
  std::vector<Node> nodes;
  std::vector<Weight> weights;
  std::vector<Edge> edges;
  double device_bytes = 0;  // what a device may hold, if a file has it
  int devices = -1;         // accelerators that a file plans for; -1: it does not say
  int cpus = -1;            // in addition to the accelerators; -1: it does not say
};

// Nodes, groups, tasks and devices are numbered by ints; vectors are indexed by std::size_t.
inline std::size_t as_index(int number) { return static_cast<std::size_t>(number); }

struct Totals {
  double params = 0;  // numbers, each weight once
  double flop = 0;    // forward
  double out_bytes = 0;
  double stored_bytes = 0;
  double kernels = 0;
};
Totals totals_of(const Graph& graph);

// Return the consumers, or the producers, of each node, in the order of the edges.
std::vector<std::vector<int>> consumers_of(const Graph& graph);
std::vector<std::vector<int>> producers_of(const Graph& graph);

// Returns every producer before its consumers, lower indexes first. Leaves out nodes on or behind a
// cycle.
std::vector<int> topological_order(const Graph& graph);

// Refuses cycles, edges to missing nodes, repeated names, and numbers that are negative or not
// finite. `at` is a JSON pointer into {nodes, edges}; the message names the node.
Status check(const Graph& graph);

// Returns the graph for Graphviz. Nodes of one device share a colour if `device_of_node` is not
// empty.
std::string dot_text(const Graph& graph, const std::vector<int>& device_of_node);

bool has_shapes(const Graph& graph);

// Returns the text that the digest of a graph is computed from: the same for graphs of equal costs.
std::string canonical_text(const Graph& graph);
std::string digest_of(const Graph& graph);  // SHA-256 of canonical_text
// The same with the shapes of outputs, which only an encoder reads; without any, digest_of.
std::string digest_with_shapes(const Graph& graph);

}  // namespace hone::placement
