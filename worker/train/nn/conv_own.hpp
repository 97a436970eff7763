// Convolutions of planes that are mostly zeros (MinAtar): the cost is that of the other cells.
#pragma once

#include "worker/train/nn/convolutions.hpp"
#include "worker/train/nn/kernels/sparse_room.hpp"

namespace hone::nn {

class SparseConvolutions final : public Convolutions {
 public:
  // Precondition: 16 filters of 3x3 with stride 1 and without padding.
  SparseConvolutions(const ConvLayer& layer, int rows_max, const dense::Kernels& kernels);

  [[nodiscard]] int features() const override { return layer_.out.size(); }
  const float* forward(std::span<const float> packed, const float* observations, int rows) override;
  void backward(std::span<const float> packed, float* feature_gradient,
                std::span<float> gradient) override;

 private:
  [[nodiscard]] dense::SparseConvolution plan();

  ConvLayer layer_;
  const dense::Kernels& kernels_;
  dense::SparseRoom room_;
  dense::Floats results_;
  const float* observations_ = nullptr;
  int rows_ = 0;
};

}  // namespace hone::nn
