#include "worker/train/nn/conv_own.hpp"

#include <cassert>

#include "worker/train/nn/conv_squares.hpp"

namespace hone::nn {

SparseConvolutions::SparseConvolutions(const ConvLayer& layer, int rows_max,
                                       const dense::Kernels& kernels)
    : layer_(layer),
      kernels_(kernels),
      room_(layer.in.rows, layer.in.columns, layer.in.channels, rows_max),
      results_(static_cast<std::size_t>(rows_max) * static_cast<std::size_t>(layer.out.size())) {
  assert(layer.side == dense::SparseConvolution::side);
  assert(layer.out.channels == dense::SparseConvolution::filters);
}

dense::SparseConvolution SparseConvolutions::plan() {
  auto plan = room_.plan();
  plan.samples = rows_;
  plan.in = observations_;
  plan.out = results_.data();
  return plan;
}

const float* SparseConvolutions::forward(std::span<const float> packed, const float* observations,
                                         int rows) {
  rows_ = rows;
  observations_ = observations;
  auto plan = this->plan();
  plan.weights = packed.data() + layer_.weight;
  plan.bias = packed.data() + layer_.bias;
  kernels_.convolve_sparse(plan);
  return plan.out;
}

void SparseConvolutions::backward(std::span<const float>, float* feature_gradient,
                                  std::span<float> gradient) {
  kernels_.convolve_sparse_back(
      {plan(), feature_gradient, gradient.data() + layer_.weight, gradient.data() + layer_.bias});
}

std::unique_ptr<Convolutions> make_convolutions(const NetShape& shape, int rows_max,
                                                const dense::Kernels& kernels) {
  const auto layers = NetLayout(shape).convs;
  switch (shape.kind) {
    case NetKind::mlp:
      return nullptr;
    case NetKind::minatar:
      return std::make_unique<SparseConvolutions>(layers.front(), rows_max, kernels);
    case NetKind::conv:
      break;
  }
  return std::make_unique<SquareConvolutions>(layers, shape.storage, rows_max, kernels);
}

}  // namespace hone::nn
