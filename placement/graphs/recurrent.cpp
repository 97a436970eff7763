// Unrolled LSTM stacks: a language model and a translator with attention.
#include <string>
#include <vector>

#include "placement/graphs/generators.hpp"
#include "placement/graphs/maker.hpp"

namespace hone::placement {
namespace {

struct RnnlmShape {
  std::string name = "rnnlm";
  int layers = 2;
  int steps = 40;
  double hidden = 2048;
  double vocabulary = 10000;
  double batch = 64;
};

struct NmtShape {
  std::string name = "nmt";
  int layers = 2;
  int source = 40;
  int target = 40;
  double hidden = 1024;
  double vocabulary = 30000;
  double batch = 64;
};

struct Sizes {
  double batch, hidden, vocabulary;
};

Node step_node(const std::string& part, const std::string& kind, int step) {
  Node node;
  node.kind = kind;
  node.module = part;
  node.name = part + "/t" + std::to_string(step);
  return node;
}

class RecurrentMaker {
 public:
  RecurrentMaker(const std::string& name, Sizes sizes) : maker(name, sizes.batch), sizes_(sizes) {}

  int embedding_weight(const std::string& name) {
    return maker.weight(name, sizes_.vocabulary * sizes_.hidden);
  }
  int cell_weight(const std::string& name, double input) {
    return maker.weight(name, 4 * sizes_.hidden * (input + sizes_.hidden) + 4 * sizes_.hidden);
  }
  int softmax_weight(const std::string& name) {
    return maker.weight(name, sizes_.vocabulary * sizes_.hidden + sizes_.vocabulary);
  }

  int embed(const std::string& part, int step, int weight) {
    Node node = step_node(part, "embedding", step);
    node.out_bytes = node.stored_bytes = 4 * sizes_.batch * sizes_.hidden;
    node.shapes = {shape_of({sizes_.batch, sizes_.hidden})};
    node.kernels = 1;
    node.tables = {weight};
    node.row_bytes = node.out_bytes;
    return maker.add(std::move(node), {});
  }

  int cell(const std::string& part, int step, double input, int weight) {
    Node node = step_node(part, "lstm", step);
    const double h = sizes_.hidden;
    node.flop = 2 * sizes_.batch * 4 * h * (input + h) + 10 * sizes_.batch * h;
    node.out_bytes = 4 * sizes_.batch * h;
    node.shapes = {shape_of({sizes_.batch, h})};
    node.stored_bytes = 7 * node.out_bytes;
    node.kernels = 6;
    node.weights = {weight};
    return maker.add(std::move(node), {});
  }

  int softmax(const std::string& part, int step, int weight) {
    Node node = step_node(part, "softmax", step);
    node.flop = 2 * sizes_.batch * sizes_.hidden * sizes_.vocabulary;
    node.out_bytes = 4 * sizes_.batch;
    node.shapes = {shape_of({sizes_.batch})};
    node.stored_bytes = 8 * sizes_.batch * sizes_.vocabulary;
    node.kernels = 3;
    node.weights = {weight};
    return maker.add(std::move(node), {});
  }

  // One step of a stack of cells: each reads the cell below it and itself of the step before.
  int stack(const std::string& part, int step, const std::vector<int>& weights, int below,
            double input, std::vector<int>& state) {
    for (std::size_t layer = 0; layer < weights.size(); ++layer) {
      const int node = cell(part + std::to_string(layer + 1), step,
                            layer == 0 ? input : sizes_.hidden, weights[layer]);
      maker.connect(below, node);
      maker.connect(state[layer], node);
      state[layer] = below = node;
    }
    return below;
  }

  std::vector<int> stack_weights(const std::string& part, int layers, double input) {
    std::vector<int> weights;
    for (int layer = 0; layer < layers; ++layer)
      weights.push_back(
          cell_weight(part + std::to_string(layer + 1), layer == 0 ? input : sizes_.hidden));
    return weights;
  }

  GraphMaker maker;

 private:
  Sizes sizes_;
};

Node memory_node(const NmtShape& s, int weight) {
  Node node;
  node.name = node.module = node.kind = "memory";
  node.flop = 2 * s.batch * s.source * s.hidden * s.hidden;
  node.out_bytes = node.stored_bytes = 4 * s.batch * s.source * s.hidden;
  node.shapes = {shape_of({s.batch, double(s.source), s.hidden})};
  node.kernels = 1;
  node.weights = {weight};
  return node;
}

Node attention_node(const NmtShape& s, int step, int weight) {
  Node node = step_node("attention", "attention", step);
  const double h = s.hidden;
  node.flop = 2 * s.batch * (h * h + 2 * s.source * h + 2 * h * h);
  node.out_bytes = 4 * s.batch * h;
  node.shapes = {shape_of({s.batch, h})};
  node.stored_bytes = 4 * s.batch * (s.source * h + 3 * h);
  node.kernels = 6;
  node.weights = {weight};
  return node;
}

Graph rnnlm(const RnnlmShape& shape) {
  RecurrentMaker net(shape.name, {shape.batch, shape.hidden, shape.vocabulary});
  const int embedding = net.embedding_weight("embedding");
  const auto cells = net.stack_weights("layer", shape.layers, shape.hidden);
  const int softmax = net.softmax_weight("softmax");
  std::vector<int> state(cells.size(), -1);
  for (int t = 0; t < shape.steps; ++t) {
    const int word = net.embed("embedding", t, embedding);
    const int top = net.stack("layer", t, cells, word, shape.hidden, state);
    net.maker.connect(top, net.softmax("softmax", t, softmax));
  }
  return net.maker.take();
}

Graph nmt(const NmtShape& shape) {
  RecurrentMaker net(shape.name, {shape.batch, shape.hidden, shape.vocabulary});
  const int source = net.embedding_weight("source");
  const auto encoder = net.stack_weights("encoder", shape.layers, shape.hidden);
  const int memory_weight = net.maker.weight("memory", shape.hidden * shape.hidden);
  std::vector<int> state(encoder.size(), -1);
  std::vector<int> tops;
  for (int t = 0; t < shape.source; ++t)
    tops.push_back(
        net.stack("encoder", t, encoder, net.embed("source", t, source), shape.hidden, state));
  const int memory = net.maker.add(memory_node(shape, memory_weight), {});
  for (const int top : tops) net.maker.connect(top, memory);

  const int target = net.embedding_weight("target");
  const auto decoder = net.stack_weights("decoder", shape.layers, 2 * shape.hidden);
  const int attention_weight = net.maker.weight("attention", 3 * shape.hidden * shape.hidden);
  const int softmax = net.softmax_weight("softmax");
  int attention = -1;
  for (int t = 0; t < shape.target; ++t) {
    const int word = net.embed("target", t, target);
    const int before = attention;
    const int first = word + 1;  // the lowest cell of this step
    const int top = net.stack("decoder", t, decoder, word, 2 * shape.hidden, state);
    net.maker.connect(before, first);
    attention = net.maker.add(attention_node(shape, t, attention_weight), {top, memory});
    net.maker.connect(attention, net.softmax("softmax", t, softmax));
  }
  return net.maker.take();
}

}  // namespace

Graph make_rnnlm() { return rnnlm({}); }
Graph make_rnnlm_4() { return rnnlm({.name = "rnnlm-4", .layers = 4, .hidden = 1024}); }
Graph make_nmt() { return nmt({}); }
Graph make_nmt_4() { return nmt({.name = "nmt-4", .layers = 4}); }
Graph make_nmt_8() { return nmt({.name = "nmt-8", .layers = 8}); }

}  // namespace hone::placement
