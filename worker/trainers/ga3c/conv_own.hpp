// The convolutions before a network's hidden layers, on kernels of our own; each ends in a ReLU.
#pragma once

#include "worker/trainers/dense/kernels.hpp"
#include "worker/trainers/ga3c/network.hpp"

namespace hone::ga3c {

class ConvStack {
 public:
  // Precondition: there are layers.
  ConvStack(std::vector<ConvLayer> layers, int rows_max, const dense::Kernels& kernels);

  [[nodiscard]] int features() const { return layers_.back().out.size(); }

  // rows x features; valid until the next call.
  const float* forward(std::span<const float> packed, const float* observations, int rows);
  // For the batch of the last forward, given d loss / d features, which it spoils: fills the
  // layers' parts of the packed gradient.
  void backward(std::span<const float> packed, float* feature_gradient, std::span<float> gradient);

 private:
  [[nodiscard]] static bool is_sparse(const ConvLayer& layer);
  [[nodiscard]] dense::SparseConvolution sparse_plan() const;
  [[nodiscard]] const float* input(std::size_t layer, int row) const;
  // The planes of a row amid their blanks; valid until the layer's next.
  const float* framed(std::size_t layer, const float* planes);
  void layer_back(std::size_t i, std::span<const float> packed, std::span<float> gradient);
  void pass_back(std::size_t i, int row, const float* slopes);

  std::vector<ConvLayer> layers_;
  const dense::Kernels& kernels_;
  std::vector<dense::Floats> results_;  // of each layer
  std::vector<dense::Floats> backs_;    // d loss / d results, of all layers but the last
  std::vector<dense::Floats> fields_;   // of each layer: one row's planes amid their blanks
  dense::Floats field_slopes_, square_slopes_, turned_;
  const float* observations_ = nullptr;
  float* feature_gradient_ = nullptr;
  int rows_ = 0;
};

}  // namespace hone::ga3c
