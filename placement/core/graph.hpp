// A computation graph to be placed on devices: what runs, what it costs and what it sends.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace hone::placement {

constexpr double unknown_ms = -1;  // not measured: the device's profile tells

// An operation, or several that always run one after another.
struct Node {
  std::string name;
  std::string kind;          // "conv", "lstm", ...; empty where a file does not say
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
  double leg_ms = unknown_ms;  // between a device and host memory, where a file says so
};

struct Graph {
  std::string name;
  double batch = 1;
  bool training = true;  // every node also runs backward, after its consumers did
  std::vector<Node> nodes;
  std::vector<Weight> weights;
  std::vector<Edge> edges;
  double device_bytes = 0;  // what a device may hold, where a file says so
};

struct Totals {
  double params = 0;  // numbers, each weight once
  double flop = 0;    // forward
  double out_bytes = 0;
  double stored_bytes = 0;
  double kernels = 0;
};
Totals totals_of(const Graph& graph);

// Consumers of each node, or producers, in the order of the edges.
std::vector<std::vector<int>> consumers_of(const Graph& graph);
std::vector<std::vector<int>> producers_of(const Graph& graph);

// Every producer before its consumers, lower indexes first. Precondition: no cycle.
std::vector<int> topological_order(const Graph& graph);

// Refuses cycles, edges to nothing, repeated names, numbers that are negative or not finite; `at`
// is a JSON pointer into {nodes, edges}, and the sentence names the node.
Status check(const Graph& graph);

// For Graphviz; nodes of one device share a colour where a placement is given (else empty).
std::string dot_text(const Graph& graph, const std::vector<int>& device_of_node);

// The same for equal graphs, whatever file they came from.
std::string canonical_text(const Graph& graph);
std::string digest_of(const Graph& graph);  // SHA-256 of canonical_text

}  // namespace hone::placement
