// An encoder and a decoder of attention layers (Vaswani et al., 2017), embeddings and softmax tied.
#include <string>

#include "placement/graphs/generators.hpp"
#include "placement/graphs/maker.hpp"

namespace hone::placement {
namespace {

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

class TransformerMaker {
 public:
  explicit TransformerMaker(const TransformerShape& shape)
      : maker_(shape.name, shape.batch),
        s_(shape),
        row_bytes_(4 * shape.batch * shape.length * shape.width) {
    tied_ = maker_.weight("embedding", s_.vocabulary * s_.width);
  }

  int embed(const std::string& name) {
    Node node = named(name, "embedding", "embedding");
    node.out_bytes = node.stored_bytes = row_bytes_;
    node.shapes = {rows()};
    node.kernels = 1;
    node.row_bytes = node.out_bytes;
    node.tables = {tied_};
    return maker_.add(std::move(node), {});
  }

  // Adds {qkv, attention, out + residual + norm}. Keys and values come from `memory`; -1: from the
  // input.
  int attend(const std::string& module, const std::string& part, int input, int memory) {
    const double d = s_.width;
    Node qkv = named(module + "/" + part + "_qkv", "linear", module);
    qkv.flop = 2 * tokens() * 3 * d * d;
    qkv.param_bytes = 4 * (3 * d * d + 3 * d);
    qkv.out_bytes = qkv.stored_bytes = 3 * row_bytes_;
    qkv.shapes = {rows(), rows(), rows()};
    qkv.kernels = 3;
    const int a = maker_.add(std::move(qkv), {input, memory});
    Node scores = named(module + "/" + part, "attention", module);
    scores.flop = 2 * 2 * tokens() * s_.length * d;
    scores.out_bytes = row_bytes_;
    scores.shapes = {rows()};
    scores.stored_bytes = row_bytes_ + 2 * 4 * tokens() * s_.length * s_.heads;
    scores.kernels = 5;
    const int b = maker_.add(std::move(scores), {a});
    Node out = named(module + "/" + part + "_out", "linear", module);
    out.flop = 2 * tokens() * d * d;
    out.param_bytes = 4 * (d * d + d + 2 * d);
    out.out_bytes = row_bytes_;
    out.shapes = {rows()};
    out.stored_bytes = 3 * row_bytes_;
    out.kernels = 3;
    return maker_.add(std::move(out), {b, input});
  }

  int feed(const std::string& module, int input) {
    Node node = named(module + "/ffn", "linear", module);
    node.flop = 2 * tokens() * 2 * s_.width * s_.inner;
    node.param_bytes = 4 * (2 * s_.width * s_.inner + s_.inner + s_.width + 2 * s_.width);
    node.out_bytes = row_bytes_;
    node.shapes = {rows()};
    node.stored_bytes = 3 * row_bytes_ + 2 * 4 * tokens() * s_.inner;
    node.kernels = 6;
    return maker_.add(std::move(node), {input});
  }

  Graph classify(int input) {
    Node node = named("softmax", "softmax", "softmax");
    node.flop = 2 * tokens() * s_.width * s_.vocabulary;
    node.out_bytes = 4 * tokens();
    node.shapes = {shape_of({s_.batch, s_.length})};
    node.stored_bytes = 8 * tokens() * s_.vocabulary;
    node.kernels = 3;
    node.weights = {tied_};
    maker_.add(std::move(node), {input});
    return maker_.take();
  }

 private:
  [[nodiscard]] double tokens() const { return s_.batch * s_.length; }
  [[nodiscard]] Shape rows() const { return shape_of({s_.batch, s_.length, s_.width}); }
  static Node named(const std::string& name, const std::string& kind, const std::string& module) {
    Node node;
    node.name = name;
    node.kind = kind;
    node.module = module;
    return node;
  }

  GraphMaker maker_;
  TransformerShape s_;
  double row_bytes_;  // of a tensor with one row of the model's width for each token
  int tied_ = -1;
};

}  // namespace

Graph make_transformer() {
  const TransformerShape shape;
  TransformerMaker net(shape);
  int memory = net.embed("source");
  for (int layer = 1; layer <= shape.encoders; ++layer) {
    const std::string module = "encoder" + std::to_string(layer);
    memory = net.feed(module, net.attend(module, "self", memory, -1));
  }
  int x = net.embed("target");
  for (int layer = 1; layer <= shape.decoders; ++layer) {
    const std::string module = "decoder" + std::to_string(layer);
    x = net.attend(module, "self", x, -1);
    x = net.feed(module, net.attend(module, "cross", x, memory));
  }
  return net.classify(x);
}

}  // namespace hone::placement
