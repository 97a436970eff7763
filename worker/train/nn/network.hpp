// The arithmetic of a policy-and-value network over one flat parameter vector. An object belongs to
// one thread: it owns the buffers of its last batch. Two implementations know the same vector:
// mlp_own.cpp and conv_*.cpp on kernels of our own, mlp_torch.cpp and device_torch.cpp on libtorch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/envs/core/env.hpp"
#include "worker/train/nn/kernels/floats.hpp"
#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::ga3c {

enum class Activation { relu, tanh };

// What a network's outputs say about the action.
enum class Policy {
  categorical,  // a logit for each of the actions
  gaussian,     // of each number of an action: the mean, and the logarithm of the deviation, which
                // does not depend on the state
};

// What comes before the fully connected layers.
enum class NetKind {
  mlp,      // nothing
  minatar,  // a convolution: 16 filters of 3x3
  conv,     // the published two: 16 filters of 8x8 at every 4th place, 32 of 4x4 at every 2nd
};

struct NetShape {
  int inputs = 0;  // numbers of an observation
  int hidden = 0;  // width of each hidden layer
  int actions = 0;
  Activation activation = Activation::tanh;
  int layers = 1;  // hidden ones
  Policy policy = Policy::categorical;
  NetKind kind = NetKind::mlp;
  envs::Planes planes{};                          // of an observation, where there are convolutions
  envs::Storage storage = envs::Storage::floats;  // the environment's: a model file knows it not

  // Of an observation's row.
  [[nodiscard]] int input_floats() const { return envs::row_floats(storage, inputs); }
  // Outputs that say something about the action: of a Gaussian all means, then all log deviations.
  [[nodiscard]] int policy_outputs() const { return actions + deviations(); }
  [[nodiscard]] int deviations() const { return policy == Policy::gaussian ? actions : 0; }
  [[nodiscard]] int outputs() const { return policy_outputs() + 1; }  // with the value
  friend bool operator==(const NetShape&, const NetShape&) = default;
};

// A named part of the flat vector, as the model file lists it.
struct NetPart {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t offset = 0;
  std::size_t size = 0;
};

// A network's convolutions; their places in the packed vector are those of the layout.
struct ConvLayer;
std::vector<ConvLayer> conv_layers(const NetShape& shape);

std::vector<NetPart> net_parts(const NetShape& shape);
std::size_t parameter_count(const NetShape& shape);

enum class WeightStart {
  scaled,   // normal, scaled by the fan-in; a small policy head, so that the first policy is nearly
            // uniform
  uniform,  // the published one: weights and biases uniform within 1/sqrt(fan-in)
};
// deviation: of a Gaussian policy.
std::vector<float> first_weights(const NetShape& shape, WeightStart start, std::uint64_t seed,
                                 double deviation = 1);

// Where the layers lie in the packed vector that networks and optimizers work on: every layer as
// inner x width (the transpose of the file's), the heads as one matrix of policy rows and the value
// row; each row and each part is padded with zeros to whole cache lines. Zeros stay zeros: a unit
// without weights has no gradient. The rows of log deviations are zeros too: only their biases
// learn.
// The filters of a convolution come first, as [row][column][channel] x filter.
struct ConvLayer {
  envs::Planes in, out;
  int side = 0;    // of the square that a filter sees
  int stride = 1;  // from one square to the next
  int before = 0;  // blank rows above the planes, and as many columns to the left
  std::size_t weight = 0;
  std::size_t bias = 0;
  [[nodiscard]] int inner() const { return side * side * in.channels; }
  [[nodiscard]] int places() const { return out.rows * out.columns; }
};
struct PackedLayer {
  std::size_t weight = 0;
  std::size_t bias = 0;
  int inner = 0;
};
struct NetLayout {
  explicit NetLayout(const NetShape& shape);

  std::vector<ConvLayer> convs;
  int width = 0;  // the padded hidden
  std::vector<PackedLayer> hidden;
  std::size_t head_weight = 0;
  std::size_t head_bias = 0;
  std::size_t size = 0;
};

// Between the file's order and the packed one.
dense::Floats pack(const NetShape& shape, std::span<const float> values);
std::vector<float> unpack(const NetShape& shape, std::span<const float> packed);

class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  // Outputs of `rows` observations. Valid until the next call; the caller may write into them.
  virtual dense::Heads forward(std::span<const float> packed, const float* observations,
                               int rows) = 0;
  // The gradient of the packed vector for the batch of the last forward (same parameters, same
  // observations), given d loss / d outputs in the layout of forward's result.
  virtual std::span<const float> backward(std::span<const float> packed,
                                          const float* output_gradient) = 0;
};

enum class Backend { own, torch, cuda };  // the two last are libtorch
// Makes networks whose batches have at most `rows_max` rows.
struct NetworkMaker {
  std::unique_ptr<Network> (*make)(const NetShape& shape, int rows_max) = nullptr;
};

// Convolutions, equally wide hidden layers and two linear heads.
std::unique_ptr<Network> make_own_network(const NetShape& shape, int rows_max);
std::unique_ptr<Network> make_own_network(const NetShape& shape, int rows_max,
                                          const dense::Kernels& kernels);

// Loads libtorch if that is what was asked for, which takes half a second: nothing else does.
// Refuses where hone was built or installed without it. Call while there is one thread.
Result<NetworkMaker> network_maker(Backend backend);

}  // namespace hone::ga3c
