// The convolutions before a network's hidden layers, on kernels of our own; each ends in a ReLU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "worker/train/nn/kernels/kernels.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::ga3c {

class Convolutions {
 public:
  Convolutions() = default;
  Convolutions(const Convolutions&) = delete;
  Convolutions& operator=(const Convolutions&) = delete;
  virtual ~Convolutions() = default;

  [[nodiscard]] virtual int features() const = 0;

  // Observations as the network finds them. rows x features; valid until the next call.
  virtual const float* forward(std::span<const float> packed, const float* observations,
                               int rows) = 0;
  // For the batch of the last forward, given d loss / d features, which it may spoil: fills the
  // layers' parts of the packed gradient.
  virtual void backward(std::span<const float> packed, float* feature_gradient,
                        std::span<float> gradient) = 0;
};

// None where there are no layers. Batches have at most `rows_max` rows. Bytes are read by those of
// screens (NetKind::conv) alone.
std::unique_ptr<Convolutions> make_convolutions(const NetShape& shape, int rows_max,
                                                const dense::Kernels& kernels);

}  // namespace hone::ga3c
