// The arithmetic of a policy-and-value network over one flat parameter vector. An object belongs to
// one thread: it owns the buffers of its last batch. Nothing of torch shows here; mlp_torch.cpp is
// the implementation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hone::ga3c {

enum class Activation { relu, tanh };

struct NetShape {
  int inputs = 0;  // floats of an observation
  int hidden = 0;
  int actions = 0;
  Activation activation = Activation::tanh;
  friend bool operator==(const NetShape&, const NetShape&) = default;
};

// A named part of the flat vector, as the model file lists it.
struct NetPart {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t offset = 0;
  std::size_t size = 0;
};

std::vector<NetPart> net_parts(const NetShape& shape);
std::size_t parameter_count(const NetShape& shape);

enum class WeightStart {
  scaled,   // normal, scaled by the fan-in; a small policy head, so that the first policy is nearly
            // uniform
  uniform,  // the published one: weights and biases uniform within 1/sqrt(fan-in)
};
std::vector<float> first_weights(const NetShape& shape, WeightStart start, std::uint64_t seed);

class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  // Outputs of `rows` observations: for each row the logits, then the value. Valid until the next
  // call.
  virtual std::span<float> forward(std::span<const float> parameters, const float* observations,
                                   int rows) = 0;
  // The gradient of the flat vector for the batch of the last forward (same parameters, same
  // observations), given d loss / d outputs in the layout of forward's result.
  virtual std::span<const float> backward(std::span<const float> parameters,
                                          std::span<const float> output_gradient) = 0;
};

// A perceptron with one hidden layer and two linear heads. `rows_max` bounds the batch.
std::unique_ptr<Network> make_mlp(const NetShape& shape, int rows_max);

}  // namespace hone::ga3c
