#include <algorithm>
#include <array>

#include "placement/graphs/generators.hpp"

namespace hone::placement {

// Each of these is defined in the file of its network: a new graph adds that file, a name here and
// a row below.
GraphGenerator make_inception_v3, make_resnet_50, make_resnet_101, make_resnet_50_v15,
    make_resnet_101_v15, make_rnnlm, make_rnnlm_4, make_nmt, make_nmt_4, make_nmt_8,
    make_transformer;

namespace {

constexpr std::array named_graphs{
    NamedGraph{"inception-v3", "Inception-V3, 299x299, batch 32", make_inception_v3},
    NamedGraph{"resnet-50", "ResNet-50 v1, 224x224, batch 32", make_resnet_50},
    NamedGraph{"resnet-101", "ResNet-101 v1, 224x224, batch 32", make_resnet_101},
    NamedGraph{"resnet-50-v1.5", "ResNet-50, strides on the 3x3", make_resnet_50_v15},
    NamedGraph{"resnet-101-v1.5", "ResNet-101, strides on the 3x3", make_resnet_101_v15},
    NamedGraph{"rnnlm", "language model, 2 LSTM layers of 2048, 40 steps, batch 64", make_rnnlm},
    NamedGraph{"rnnlm-4", "language model, 4 LSTM layers of 1024, 40 steps, batch 64",
               make_rnnlm_4},
    NamedGraph{"nmt", "translation with attention, 2 + 2 LSTM layers of 1024, batch 64", make_nmt},
    NamedGraph{"nmt-4", "translation with attention, 4 + 4 LSTM layers of 1024, batch 64",
               make_nmt_4},
    NamedGraph{"nmt-8", "translation with attention, 8 + 8 LSTM layers of 1024, batch 64",
               make_nmt_8},
    NamedGraph{"transformer", "Transformer base, 6 + 6 layers, 50 tokens, batch 64",
               make_transformer},
};

}  // namespace

std::span<const NamedGraph> graph_table() { return named_graphs; }

const NamedGraph* find_graph(std::string_view name) {
  const auto row = std::find_if(named_graphs.begin(), named_graphs.end(),
                                [&](const NamedGraph& graph) { return graph.name == name; });
  return row == named_graphs.end() ? nullptr : &*row;
}

}  // namespace hone::placement
