// Graphs of well-known networks, a training step of each at operation granularity.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "placement/core/graph.hpp"

namespace hone::placement {

struct ResNetShape {
  std::string name = "resnet-50";
  std::array<int, 4> blocks{3, 4, 6, 3};
  bool late_stride = false;  // on the 3x3 (v1.5) instead of the first 1x1 (v1)
  double batch = 32;
};
Graph make_resnet(const ResNetShape& shape);

Graph make_inception_v3(double batch);

struct RnnlmShape {
  std::string name = "rnnlm";
  int layers = 2;
  int steps = 40;
  double hidden = 2048;
  double vocabulary = 10000;
  double batch = 64;
};
Graph make_rnnlm(const RnnlmShape& shape);

struct NmtShape {
  std::string name = "nmt";
  int layers = 2;
  int source = 40;
  int target = 40;
  double hidden = 1024;
  double vocabulary = 30000;
  double batch = 64;
};
Graph make_nmt(const NmtShape& shape);

struct TransformerShape {
  std::string name = "transformer";
  int encoders = 6;
  int decoders = 6;
  double width = 512;
  double inner = 2048;
  double heads = 8;
  double vocabulary = 37000;
  double length = 50;
  double batch = 64;
};
Graph make_transformer(const TransformerShape& shape);

struct NamedGraph {
  std::string_view name;
  std::string_view summary;
  Graph (*make)();
};
std::span<const NamedGraph> graph_table();
const NamedGraph* find_graph(std::string_view name);  // nullptr where there is none

}  // namespace hone::placement
