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
  // Every square that a filter sees, as a row.
  void cut(const ConvLayer& layer, const float* planes);
  // The same backwards: adds up in every cell what its squares say.
  void paste(const ConvLayer& layer, float* planes) const;
  template <class Visit>
  static void for_each_run(const ConvLayer& layer, Visit visit);
  void layer_back(std::size_t i, std::span<const float> packed, std::span<float> gradient);

  std::vector<ConvLayer> layers_;
  const dense::Kernels& kernels_;
  std::vector<dense::Floats> results_;  // of each layer
  std::vector<dense::Floats> backs_;    // d loss / d results, of all layers but the last
  dense::Floats squares_;               // of one row
  dense::Floats part_, part_bias_;      // one row's share of a gradient
  const float* observations_ = nullptr;
  float* feature_gradient_ = nullptr;
  int rows_ = 0;
};

}  // namespace hone::ga3c
