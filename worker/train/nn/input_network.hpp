// Perceptrons that also give the gradient of their inputs: critics whose input contains an action.
#pragma once

#include <memory>
#include <span>

#include "worker/train/nn/network.hpp"

namespace hone::nn {

// The inputs first, first + 1, ..., first + count - 1.
struct InputRange {
  int first = 0;
  int count = 0;
};

class InputNetwork : public Network {
 public:
  using Network::Network;
  // Writes d loss / d inputs for the batch of the last forward(), with the same parameters, to
  // `out` [rows][inputs.count]. Computes no gradient of the parameters.
  virtual void input_gradient(std::span<const float> packed, const float* output_gradient,
                              const InputRange& inputs, float* out) = 0;
};

// On the kernels of nn/kernels. Precondition: the shape is an mlp over floats.
std::unique_ptr<InputNetwork> make_input_network(const NetShape& shape, int rows_max);

}  // namespace hone::nn
