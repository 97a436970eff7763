// The layers of a network as tensors on a device, forward and backward. Includes ATen: only for
// files of the module that is loaded on demand.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "worker/train/nn/network.hpp"

namespace hone::nn {

// What a batch leaves between the passes, all of `rows` rows.
struct DeviceBatch {
  std::int64_t rows = 0;
  at::Tensor observations;  // rows as the environment stores them
  std::vector<at::Tensor>
      conv_inputs;  // with zeros at the sides as far as libtorch does not add them
  std::vector<at::Tensor> conv_results;
  at::Tensor features;              // inputs of the first hidden layer
  std::vector<at::Tensor> results;  // of the hidden layers
  at::Tensor outputs;               // [outputs][rows]
  at::Tensor slopes;                // d loss / d outputs, likewise
};

class DeviceLayers {
 public:
  DeviceLayers(const NetShape& shape, const at::TensorOptions& options);

  // The packed vector. Call use_weights() after a change.
  [[nodiscard]] at::Tensor& weights() { return weights_; }
  void use_weights();

  void forward(DeviceBatch& batch) const;
  // Writes the gradient for batch.slopes, as a packed vector.
  void backward(const DeviceBatch& batch);
  [[nodiscard]] const at::Tensor& gradient() const { return gradient_; }

 private:
  [[nodiscard]] at::Tensor features_of(DeviceBatch& batch) const;
  // Both take d loss / d results of the last layer of their kind.
  [[nodiscard]] at::Tensor hidden_back(const DeviceBatch& batch, at::Tensor back);
  void convolutions_back(const DeviceBatch& batch, const at::Tensor& features_back);

  NetShape shape_;
  NetLayout layout_;
  at::Tensor weights_, gradient_;
  std::vector<at::Tensor> filters_;  // of the convolutions, as libtorch takes them
};

}  // namespace hone::nn
