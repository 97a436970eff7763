// ResNet-50 and -101 (He et al., 2015) and Inception-V3 (Szegedy et al., 2015) as groups of
// convolution, normalisation and ReLU.
#include <array>
#include <string>
#include <vector>

#include "placement/graphs/generators.hpp"
#include "placement/graphs/maker.hpp"

namespace hone::placement {
namespace {

constexpr double cnn_batch = 32;

struct Window {
  int height = 1;
  int width = 1;
  int stride = 1;
  bool padded = true;  // so that stride 1 keeps the size
};

// A node with the size of its output.
struct Image {
  int node = -1;
  int channels = 0;
  int side = 0;
};

class CnnMaker {
 public:
  CnnMaker(std::string name, double batch, Image input)
      : maker_(std::move(name), batch), batch_(batch) {
    input_ = input;
    Node node = plain("input", "input", input);
    node.kernels = 1;
    node.stored_bytes = 0;  // the batch itself is read again
    input_.node = maker_.add(std::move(node), {});
  }

  [[nodiscard]] Image input() const { return input_; }
  void enter(std::string module) { module_ = std::move(module); }

  Image conv(const Image& in, int channels, Window w) {
    const Image out{-1, channels, side_after(in.side, w)};
    Node node = plain("conv", std::to_string(w.height) + "x" + std::to_string(w.width), out);
    const double per_output = 1.0 * in.channels * w.height * w.width;
    node.flop = 2 * pixels(out) * per_output;
    node.param_bytes = 4 * (per_output * channels + 2.0 * channels);
    node.stored_bytes = 2 * node.out_bytes;
    node.kernels = 3;
    return put(std::move(node), out, {in.node});
  }

  Image pool(const Image& in, Window w) {
    const Image out{-1, in.channels, side_after(in.side, w)};
    Node node = plain("pool", std::to_string(w.height) + "x" + std::to_string(w.width), out);
    node.flop = pixels(out) * w.height * w.width;
    node.stored_bytes = node.out_bytes;
    node.kernels = 1;
    return put(std::move(node), out, {in.node});
  }

  Image concat(const std::vector<Image>& parts) {
    Image out{-1, 0, parts.front().side};
    for (const Image& part : parts) out.channels += part.channels;
    Node node = plain("concat", "", out);
    node.stored_bytes = node.out_bytes;
    node.kernels = 1;
    out = put(std::move(node), out, {});
    for (const Image& part : parts) maker_.connect(part.node, out.node);
    return out;
  }

  Image add(const Image& left, const Image& right) {
    Node node = plain("add", "", left);
    node.flop = 2 * pixels(left);
    node.stored_bytes = node.out_bytes;
    node.kernels = 2;
    return put(std::move(node), {-1, left.channels, left.side}, {left.node, right.node});
  }

  Graph classify(const Image& in, int classes) {
    enter("top");
    const Image pooled = pool(in, {in.side, in.side, in.side, false});
    Node node = plain("fc", "", {-1, classes, 1});
    node.flop = 2 * batch_ * pooled.channels * classes;
    node.param_bytes = 4.0 * (pooled.channels * classes + classes);
    node.stored_bytes = node.out_bytes;
    node.kernels = 2;
    node.shapes = {{static_cast<std::int64_t>(batch_), classes}};
    maker_.add(std::move(node), {pooled.node});
    return maker_.take();
  }

 private:
  static int side_after(int side, const Window& w) {
    const int span = w.height > w.width ? w.height : w.width;
    return w.padded ? (side - 1) / w.stride + 1 : (side - span) / w.stride + 1;
  }
  [[nodiscard]] double pixels(const Image& image) const {
    return batch_ * image.channels * image.side * image.side;
  }

  Node plain(const std::string& kind, const std::string& detail, const Image& out) {
    Node node;
    node.kind = kind;
    node.module = module_;
    node.name = (module_.empty() ? "" : module_ + "/") + kind + std::to_string(count_++) +
                (detail.empty() || detail == kind ? "" : "_" + detail);
    node.out_bytes = 4 * pixels(out);
    node.stored_bytes = node.out_bytes;
    node.shapes = {{static_cast<std::int64_t>(batch_), out.channels, out.side, out.side}};
    return node;
  }

  Image put(Node node, Image out, std::initializer_list<int> inputs) {
    out.node = maker_.add(std::move(node), inputs);
    return out;
  }

  GraphMaker maker_;
  double batch_;
  std::string module_;
  int count_ = 0;
  Image input_;
};

Image bottleneck(CnnMaker& net, const Image& in, int width, int stride, bool late_stride) {
  const int first = late_stride ? 1 : stride;
  const int second = late_stride ? stride : 1;
  const Image a = net.conv(in, width, {1, 1, first});
  const Image b = net.conv(a, width, {3, 3, second});
  const Image c = net.conv(b, 4 * width, {1, 1});
  const bool same = in.channels == 4 * width && stride == 1;
  return net.add(c, same ? in : net.conv(in, 4 * width, {1, 1, stride}));
}

Image inception_a(CnnMaker& net, const Image& in, int pool_channels) {
  const Image a = net.conv(in, 64, {});
  const Image b = net.conv(net.conv(in, 48, {}), 64, {5, 5});
  const Image c = net.conv(net.conv(net.conv(in, 64, {}), 96, {3, 3}), 96, {3, 3});
  const Image d = net.conv(net.pool(in, {3, 3}), pool_channels, {});
  return net.concat({a, b, c, d});
}

Image inception_b(CnnMaker& net, const Image& in) {
  const Image a = net.conv(in, 384, {3, 3, 2, false});
  const Image b = net.conv(net.conv(net.conv(in, 64, {}), 96, {3, 3}), 96, {3, 3, 2, false});
  return net.concat({a, b, net.pool(in, {3, 3, 2, false})});
}

Image inception_c(CnnMaker& net, const Image& in, int q) {
  const Image a = net.conv(in, 192, {});
  const Image b = net.conv(net.conv(net.conv(in, q, {}), q, {1, 7}), 192, {7, 1});
  Image c = net.conv(net.conv(in, q, {}), q, {7, 1});
  c = net.conv(net.conv(net.conv(c, q, {1, 7}), q, {7, 1}), 192, {1, 7});
  const Image d = net.conv(net.pool(in, {3, 3}), 192, {});
  return net.concat({a, b, c, d});
}

Image inception_d(CnnMaker& net, const Image& in) {
  const Image a = net.conv(net.conv(in, 192, {}), 320, {3, 3, 2, false});
  Image b = net.conv(net.conv(net.conv(in, 192, {}), 192, {1, 7}), 192, {7, 1});
  b = net.conv(b, 192, {3, 3, 2, false});
  return net.concat({a, b, net.pool(in, {3, 3, 2, false})});
}

Image inception_e(CnnMaker& net, const Image& in) {
  const Image a = net.conv(in, 320, {});
  const Image b = net.conv(in, 384, {});
  const Image c = net.conv(net.conv(in, 448, {}), 384, {3, 3});
  const Image b1 = net.conv(b, 384, {1, 3});
  const Image b2 = net.conv(b, 384, {3, 1});
  const Image c1 = net.conv(c, 384, {1, 3});
  const Image c2 = net.conv(c, 384, {3, 1});
  const Image d = net.conv(net.pool(in, {3, 3}), 192, {});
  return net.concat({a, b1, b2, c1, c2, d});
}

struct ResNetShape {
  std::string name = "resnet-50";
  std::array<int, 4> blocks{3, 4, 6, 3};
  bool late_stride = false;  // on the 3x3 (v1.5) instead of the first 1x1 (v1)
};

Graph resnet(const ResNetShape& shape) {
  constexpr std::array widths{64, 128, 256, 512};
  CnnMaker net(shape.name, cnn_batch, {-1, 3, 224});
  net.enter("stem");
  Image x = net.pool(net.conv(net.input(), 64, {7, 7, 2}), {3, 3, 2});
  for (std::size_t stage = 0; stage < widths.size(); ++stage)
    for (int block = 0; block < shape.blocks[stage]; ++block) {
      net.enter("stage" + std::to_string(stage + 1) + "_" + std::to_string(block + 1));
      const int stride = stage > 0 && block == 0 ? 2 : 1;
      x = bottleneck(net, x, widths[stage], stride, shape.late_stride);
    }
  return net.classify(x, 1000);
}

}  // namespace

Graph make_resnet_50() { return resnet({}); }
Graph make_resnet_101() { return resnet({.name = "resnet-101", .blocks = {3, 4, 23, 3}}); }
Graph make_resnet_50_v15() { return resnet({.name = "resnet-50-v1.5", .late_stride = true}); }
Graph make_resnet_101_v15() {
  return resnet({.name = "resnet-101-v1.5", .blocks = {3, 4, 23, 3}, .late_stride = true});
}

Graph make_inception_v3() {
  CnnMaker net("inception-v3", cnn_batch, {-1, 3, 299});
  net.enter("stem");
  Image x = net.conv(net.input(), 32, {3, 3, 2, false});
  x = net.conv(net.conv(x, 32, {3, 3, 1, false}), 64, {3, 3});
  x = net.conv(net.conv(net.pool(x, {3, 3, 2, false}), 80, {}), 192, {3, 3, 1, false});
  x = net.pool(x, {3, 3, 2, false});
  int module = 0;
  const auto next = [&] { net.enter("mixed" + std::to_string(++module)); };
  for (const int channels : {32, 64, 64}) next(), x = inception_a(net, x, channels);
  next(), x = inception_b(net, x);
  for (const int q : {128, 160, 160, 192}) next(), x = inception_c(net, x, q);
  next(), x = inception_d(net, x);
  for (int i = 0; i < 2; ++i) next(), x = inception_e(net, x);
  return net.classify(x, 1000);
}

}  // namespace hone::placement
