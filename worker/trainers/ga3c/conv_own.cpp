#include "worker/trainers/ga3c/conv_own.hpp"

#include <algorithm>

namespace hone::ga3c {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(n); }

}  // namespace

ConvStack::ConvStack(std::vector<ConvLayer> layers, int rows_max, const dense::Kernels& kernels)
    : layers_(std::move(layers)), kernels_(kernels) {
  std::size_t squares = 0, weights = 0;
  for (const auto& layer : layers_) {
    results_.emplace_back(size(rows_max) * size(layer.out.size()));
    weights = std::max(weights, size(layer.inner()) * size(layer.out.channels));
    if (!is_sparse(layer)) squares = std::max(squares, size(layer.places()) * size(layer.inner()));
  }
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) backs_.emplace_back(results_[i].size());
  squares_.resize(squares);
  part_.resize(weights);
  part_bias_.resize(size(layers_.back().out.channels));
}

// Squares at every place without blanks: only MinAtar's, whose observations are mostly zeros.
bool ConvStack::is_sparse(const ConvLayer& layer) { return layer.stride == 1 && layer.before == 0; }

dense::SparseConvolution ConvStack::sparse_plan() const {
  const auto& layer = layers_.front();
  return {rows_,
          layer.in.rows,
          layer.in.columns,
          layer.in.channels,
          layer.side,
          layer.out.channels,
          observations_,
          nullptr,
          nullptr,
          nullptr};
}

const float* ConvStack::input(std::size_t layer, int row) const {
  const float* all = layer == 0 ? observations_ : results_[layer - 1].data();
  return all + static_cast<std::ptrdiff_t>(row) * layers_[layer].in.size();
}

const float* ConvStack::forward(std::span<const float> packed, const float* observations,
                                int rows) {
  rows_ = rows;
  observations_ = observations;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto& layer = layers_[i];
    const float* weights = packed.data() + layer.weight;
    const float* bias = packed.data() + layer.bias;
    float* out = results_[i].data();
    if (is_sparse(layer)) {
      auto plan = sparse_plan();
      plan.weights = weights;
      plan.bias = bias;
      plan.out = out;
      kernels_.convolve_sparse(plan);
    } else {
      for (int row = 0; row < rows; ++row) {
        cut(layer, input(i, row));
        kernels_.multiply({layer.places(), layer.inner(), layer.out.channels, squares_.data(),
                           layer.inner(), 1, weights, bias,
                           out + static_cast<std::ptrdiff_t>(row) * layer.out.size()});
      }
    }
    kernels_.relu(out, static_cast<std::int64_t>(rows) * layer.out.size());
  }
  return results_.back().data();
}

void ConvStack::backward(std::span<const float> packed, float* feature_gradient,
                         std::span<float> gradient) {
  feature_gradient_ = feature_gradient;
  for (std::size_t i = layers_.size(); i-- > 0;) layer_back(i, packed, gradient);
}

void ConvStack::layer_back(std::size_t i, std::span<const float> packed,
                           std::span<float> gradient) {
  const auto& layer = layers_[i];
  float* back = i + 1 == layers_.size() ? feature_gradient_ : backs_[i].data();
  kernels_.relu_back(results_[i].data(), back, static_cast<std::int64_t>(rows_) * layer.out.size());
  float* weights = gradient.data() + layer.weight;
  float* bias = gradient.data() + layer.bias;
  if (is_sparse(layer)) {
    kernels_.convolve_sparse_back({sparse_plan(), back, weights, bias});
    return;
  }
  const auto count = size(layer.inner()) * size(layer.out.channels);
  std::fill_n(weights, count, 0.0F);
  std::fill_n(bias, layer.out.channels, 0.0F);
  if (i > 0) std::fill(backs_[i - 1].begin(), backs_[i - 1].end(), 0.0F);
  for (int row = 0; row < rows_; ++row) {
    const float* slopes = back + static_cast<std::ptrdiff_t>(row) * layer.out.size();
    cut(layer, input(i, row));
    kernels_.outer({layer.places(), layer.inner(), layer.out.channels, squares_.data(),
                    layer.inner(), 1, slopes, nullptr, part_.data()},
                   part_bias_.data());
    for (std::size_t k = 0; k < count; ++k) weights[k] += part_[k];
    for (int f = 0; f < layer.out.channels; ++f) bias[f] += part_bias_[size(f)];
    if (i == 0) continue;
    kernels_.dot({layer.places(), layer.out.channels, layer.inner(), slopes,
                  packed.data() + layer.weight, nullptr, squares_.data(), layer.inner(), 1});
    paste(layer, backs_[i - 1].data() + static_cast<std::ptrdiff_t>(row) * layer.in.size());
  }
}

// Calls visit(offset in the squares, offset in the planes, floats) for
// every row of every square that lies on the planes.
template <class Visit>
void ConvStack::for_each_run(const ConvLayer& layer, Visit visit) {
  const int channels = layer.in.channels;
  int square = 0;
  for (int down = 0; down < layer.out.rows; ++down)
    for (int across = 0; across < layer.out.columns; ++across) {
      const int top = down * layer.stride - layer.before;
      const int left = across * layer.stride - layer.before;
      const int first = std::max(0, left);
      const int last = std::min(layer.in.columns, left + layer.side);
      for (int y = 0; y < layer.side; ++y, square += layer.side * channels) {
        if (top + y < 0 || top + y >= layer.in.rows) continue;
        visit(square + (first - left) * channels, ((top + y) * layer.in.columns + first) * channels,
              (last - first) * channels);
      }
    }
}

void ConvStack::cut(const ConvLayer& layer, const float* planes) {
  std::fill_n(squares_.begin(), layer.places() * layer.inner(), 0.0F);
  for_each_run(layer, [&](int square, int cell, int count) {
    std::copy_n(planes + cell, count, squares_.begin() + square);
  });
}

void ConvStack::paste(const ConvLayer& layer, float* planes) const {
  for_each_run(layer, [&](int square, int cell, int count) {
    for (int k = 0; k < count; ++k) planes[cell + k] += squares_[size(square + k)];
  });
}

}  // namespace hone::ga3c
