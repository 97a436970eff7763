#include <algorithm>
#include <array>

#include "placement/graphs/generators.hpp"

namespace hone::placement {
namespace {

ResNetShape resnet(const char* name, int third_stage, bool late_stride) {
  ResNetShape shape;
  shape.name = name;
  shape.blocks[2] = third_stage;
  shape.late_stride = late_stride;
  return shape;
}

Graph nmt(const char* name, int layers) {
  NmtShape shape;
  shape.name = name;
  shape.layers = layers;
  return make_nmt(shape);
}

constexpr std::array table{
    NamedGraph{"inception-v3", "Inception-V3, 299x299, batch 32",
               [] { return make_inception_v3(32); }},
    NamedGraph{"resnet-50", "ResNet-50 v1, 224x224, batch 32",
               [] { return make_resnet(resnet("resnet-50", 6, false)); }},
    NamedGraph{"resnet-101", "ResNet-101 v1, 224x224, batch 32",
               [] { return make_resnet(resnet("resnet-101", 23, false)); }},
    NamedGraph{"resnet-50-v1.5", "ResNet-50, strides on the 3x3",
               [] { return make_resnet(resnet("resnet-50-v1.5", 6, true)); }},
    NamedGraph{"resnet-101-v1.5", "ResNet-101, strides on the 3x3",
               [] { return make_resnet(resnet("resnet-101-v1.5", 23, true)); }},
    NamedGraph{"rnnlm", "language model, 2 LSTM layers of 2048, 40 steps, batch 64",
               [] { return make_rnnlm({}); }},
    NamedGraph{"rnnlm-4", "language model, 4 LSTM layers of 1024, 40 steps, batch 64",
               [] {
                 return make_rnnlm({"rnnlm-4", 4, 40, 1024, 10000, 64});
               }},
    NamedGraph{"nmt", "translation with attention, 2 + 2 LSTM layers of 1024, batch 64",
               [] { return nmt("nmt", 2); }},
    NamedGraph{"nmt-4", "translation with attention, 4 + 4 LSTM layers of 1024, batch 64",
               [] { return nmt("nmt-4", 4); }},
    NamedGraph{"nmt-8", "translation with attention, 8 + 8 LSTM layers of 1024, batch 64",
               [] { return nmt("nmt-8", 8); }},
    NamedGraph{"transformer", "Transformer base, 6 + 6 layers, 50 tokens, batch 64",
               [] { return make_transformer({}); }},
};

}  // namespace

std::span<const NamedGraph> graph_table() { return table; }

const NamedGraph* find_graph(std::string_view name) {
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const NamedGraph& graph) { return graph.name == name; });
  return row == table.end() ? nullptr : &*row;
}

}  // namespace hone::placement
