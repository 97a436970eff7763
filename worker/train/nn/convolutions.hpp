// The convolutions before the hidden layers of a network, on the kernels of nn/kernels; each is
// followed by a ReLU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "worker/train/nn/kernels/kernels.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::nn {

class Convolutions {
 public:
  Convolutions() = default;
  Convolutions(const Convolutions&) = delete;
  Convolutions& operator=(const Convolutions&) = delete;
  virtual ~Convolutions() = default;

  [[nodiscard]] virtual int features() const = 0;

  // Takes observations [rows][row_floats]. Returns features [rows][features], valid until the next
  // call.
  virtual const float* forward(std::span<const float> packed, const float* observations,
                               int rows) = 0;
  // For the batch of the last forward(): takes d loss / d features, which it may overwrite, and
  // fills the parts of the layers in the packed gradient.
  virtual void backward(std::span<const float> packed, float* feature_gradient,
                        std::span<float> gradient) = 0;
};

// nullptr if the network has no convolutions. Batches have at most `rows_max` rows. Only
// NetKind::conv accepts observations stored as bytes.
std::unique_ptr<Convolutions> make_convolutions(const NetShape& shape, int rows_max,
                                                const dense::Kernels& kernels);

}  // namespace hone::nn
