#include "worker/trainers/ga3c/conv_own.hpp"

#include "worker/trainers/ga3c/conv_squares.hpp"

namespace hone::ga3c {

SparseConvolutions::SparseConvolutions(const ConvLayer& layer, int rows_max,
                                       const dense::Kernels& kernels)
    : layer_(layer),
      kernels_(kernels),
      results_(static_cast<std::size_t>(rows_max) * static_cast<std::size_t>(layer.out.size())) {}

dense::SparseConvolution SparseConvolutions::plan() const {
  return {rows_,
          layer_.in.rows,
          layer_.in.columns,
          layer_.in.channels,
          layer_.side,
          layer_.out.channels,
          observations_,
          nullptr,
          nullptr,
          nullptr};
}

const float* SparseConvolutions::forward(std::span<const float> packed, const float* observations,
                                         int rows) {
  rows_ = rows;
  observations_ = observations;
  auto plan = this->plan();
  plan.weights = packed.data() + layer_.weight;
  plan.bias = packed.data() + layer_.bias;
  plan.out = results_.data();
  kernels_.convolve_sparse(plan);
  kernels_.relu(plan.out, static_cast<std::int64_t>(rows) * layer_.out.size());
  return plan.out;
}

void SparseConvolutions::backward(std::span<const float>, float* feature_gradient,
                                  std::span<float> gradient) {
  kernels_.relu_back(results_.data(), feature_gradient,
                     static_cast<std::int64_t>(rows_) * layer_.out.size());
  kernels_.convolve_sparse_back(
      {plan(), feature_gradient, gradient.data() + layer_.weight, gradient.data() + layer_.bias});
}

std::unique_ptr<Convolutions> make_convolutions(const std::vector<ConvLayer>& layers, int rows_max,
                                                const dense::Kernels& kernels) {
  if (layers.empty()) return nullptr;
  if (layers.size() == 1 && layers[0].stride == 1 && layers[0].before == 0)
    return std::make_unique<SparseConvolutions>(layers[0], rows_max, kernels);
  return std::make_unique<SquareConvolutions>(layers, rows_max, kernels);
}

}  // namespace hone::ga3c
