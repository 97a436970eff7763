// A policy-and-value network over one flat parameter vector. An object is used by one thread: it
// has the buffers of its last batch. Two implementations use the same vector: mlp_own.cpp and
// conv_*.cpp on the kernels of nn/kernels, mlp_torch.cpp and device_*.cpp on libtorch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/envs/core/env.hpp"
#include "worker/train/nn/kernels/floats.hpp"
#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::nn {

enum class Activation { relu, tanh };

// What the outputs mean for the action.
enum class Policy {
  categorical,  // a logit for each of the actions
  gaussian,     // for each number of an action the mean, and the logarithm of the deviation, which
                // does not depend on the state
  squashed,     // the same with deviations that depend on the state; the action is the tanh of what
                // is drawn
};

// The layers before the fully connected ones.
enum class NetKind {
  mlp,      // none
  minatar,  // a convolution: 16 filters of 3x3 (Young and Tian, 2019)
  conv,     // two convolutions: 16 filters of 8x8 with stride 4, 32 of 4x4 with stride 2
            // (Mnih et al., 2013)
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
  envs::Storage storage = envs::Storage::floats;  // of the environment; not in the model file

  // Floats in the row of an observation.
  [[nodiscard]] int input_floats() const { return envs::row_floats(storage, inputs); }
  // Outputs for the action; of a Gaussian all means, then all log deviations.
  [[nodiscard]] int policy_outputs() const { return actions + deviations(); }
  [[nodiscard]] int deviations() const { return policy == Policy::categorical ? 0 : actions; }
  // Those that do not depend on the state: outputs without weights.
  [[nodiscard]] int free_deviations() const { return policy == Policy::gaussian ? actions : 0; }
  [[nodiscard]] int outputs() const { return policy_outputs() + 1; }  // with the value
  friend bool operator==(const NetShape&, const NetShape&) = default;
};

// A tensor of the model file: a named part of the flat vector.
struct NetPart {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t offset = 0;
  std::size_t size = 0;
};

// The convolutions of a network, in the order of the layout.
struct ConvLayer;
std::vector<ConvLayer> conv_layers(const NetShape& shape);

std::vector<NetPart> net_parts(const NetShape& shape);
std::size_t parameter_count(const NetShape& shape);

enum class WeightStart {
  scaled,   // normal, scaled by the fan-in; a small policy head makes the first policy nearly
            // uniform
  uniform,  // as published: weights and biases uniform within 1/sqrt(fan-in)
};
// deviation: the initial one of a Gaussian policy.
std::vector<float> first_weights(const NetShape& shape, WeightStart start, std::uint64_t seed,
                                 double deviation = 1);

// The layout of the packed vector that networks and optimizers work on:
//   filters of convolutions   [row][column][channel][filter]
//   every hidden layer        [inner][width], the transpose of the file
//   heads                     one matrix: the policy rows, then the value row
// Each row and each part is padded with zeros to whole cache lines. Zeros stay zeros: a unit
// without weights has no gradient. The rows of log deviations that do not depend on the state are
// zeros too: only their biases learn.
struct ConvLayer {
  envs::Planes in, out;
  int side = 0;    // of the square of a filter
  int stride = 1;  // steps from one square to the next
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
  int width = 0;  // hidden, padded
  std::vector<PackedLayer> hidden;
  std::size_t head_weight = 0;
  std::size_t head_bias = 0;
  std::size_t size = 0;
};

// Converts between the order of the file and the packed one.
dense::Floats pack(const NetShape& shape, std::span<const float> values);
std::vector<float> unpack(const NetShape& shape, std::span<const float> packed);

// Weights as a packed vector, and their version.
struct WeightView {
  // NOLINTNEXTLINE(google-explicit-constructor): a vector is a view without a version
  WeightView(std::span<const float> packed, std::uint64_t version_of = 0)
      : parameters(packed), version(version_of) {}
  WeightView(const dense::Floats& packed) : parameters(packed) {}  // NOLINT

  std::span<const float> parameters;
  // 0: unknown. Networks of one maker get the same weights whenever they get the same other number.
  std::uint64_t version = 0;
};

class Network {
 public:
  // input_floats: of the most rows of a batch.
  explicit Network(std::size_t input_floats) : input_floats_(input_floats) {}
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  // Memory for the observations of a batch, which forward() reads fastest from there. The same at
  // each call.
  virtual float* input() {
    if (input_.empty()) input_.resize(input_floats_);
    return input_.data();
  }
  // Returns the outputs for observations [rows][row_floats], valid until the next call. The caller
  // may write into them.
  virtual dense::Heads forward(const WeightView& weights, const float* observations, int rows) = 0;
  // Returns the gradient of the packed vector for the batch of the last forward(), with the same
  // parameters; valid until the next call. output_gradient: d loss / d outputs, in the layout of
  // the outputs.
  virtual std::span<const float> backward(std::span<const float> packed,
                                          const float* output_gradient) = 0;

 private:
  std::size_t input_floats_;
  dense::Floats input_;
};

// Floats of the rows of a batch, padded as vectors of samples are.
std::size_t input_floats_of(const NetShape& shape, int rows_max);

enum class Backend { own, torch, cuda };  // torch and cuda: libtorch
// Makes networks whose batches have at most `rows_max` rows: all networks of one training. Call it
// on any thread.
struct NetworkMaker {
  std::function<std::unique_ptr<Network>(const NetShape& shape, int rows_max)> make;
};

// Convolutions, equally wide hidden layers and two linear heads.
std::unique_ptr<Network> make_own_network(const NetShape& shape, int rows_max);
std::unique_ptr<Network> make_own_network(const NetShape& shape, int rows_max,
                                          const dense::Kernels& kernels);

NetworkMaker own_maker();

// Loads libtorch for the backends torch and cuda, which takes half a second. Refuses if hone was
// built or installed without it. Call before other threads start.
Result<NetworkMaker> network_maker(Backend backend);

}  // namespace hone::nn
