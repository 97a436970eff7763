#include "worker/trainers/ga3c/conv_own.hpp"

#include <algorithm>

namespace hone::ga3c {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(n); }

// Of the field: the planes, what lies before them, and as far as the last squares reach.
int field_rows(const ConvLayer& layer) {
  return std::max((layer.out.rows - 1) * layer.stride + layer.side, layer.before + layer.in.rows);
}
int field_columns(const ConvLayer& layer) {
  return std::max((layer.out.columns - 1) * layer.stride + layer.side,
                  layer.before + layer.in.columns);
}
std::size_t field_size(const ConvLayer& layer) {
  return size(field_rows(layer)) * size(field_columns(layer)) * size(layer.in.channels);
}

dense::Squares squares_of(const ConvLayer& layer) {
  return {field_columns(layer), layer.in.channels, layer.side,
          layer.stride,         layer.out.rows,    layer.out.columns};
}

// Calls visit(row's start in the planes, the same in the field) for every row of the planes.
template <class Visit>
void for_each_line(const ConvLayer& layer, Visit visit) {
  const auto line = static_cast<std::ptrdiff_t>(layer.in.columns) * layer.in.channels;
  for (int row = 0; row < layer.in.rows; ++row)
    visit(row * line,
          (static_cast<std::ptrdiff_t>(row + layer.before) * field_columns(layer) + layer.before) *
              layer.in.channels);
}

}  // namespace

ConvStack::ConvStack(std::vector<ConvLayer> layers, int rows_max, const dense::Kernels& kernels)
    : layers_(std::move(layers)), kernels_(kernels) {
  for (const auto& layer : layers_) {
    results_.emplace_back(size(rows_max) * size(layer.out.size()));
    fields_.emplace_back(is_sparse(layer) ? 0 : field_size(layer));
  }
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
    const auto& layer = layers_[i + 1];
    const auto inner = size(layer.inner());
    backs_.emplace_back(results_[i].size());
    field_slopes_.resize(std::max(field_slopes_.size(), field_size(layer)));
    square_slopes_.resize(std::max(square_slopes_.size(), size(layer.places()) * inner));
    turned_.resize(std::max(turned_.size(), inner * size(layer.out.channels)));
  }
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
      for (int row = 0; row < rows; ++row)
        kernels_.convolve({squares_of(layer), layer.out.channels, framed(i, input(i, row)), weights,
                           bias, out + static_cast<std::ptrdiff_t>(row) * layer.out.size()});
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
  if (i > 0)
    kernels_.transpose(
        {layer.inner(), layer.out.channels, packed.data() + layer.weight, turned_.data()});
  for (int row = 0; row < rows_; ++row) {
    const float* slopes = back + static_cast<std::ptrdiff_t>(row) * layer.out.size();
    kernels_.convolve_back(
        {squares_of(layer), layer.out.channels, framed(i, input(i, row)), slopes, weights, bias});
    if (i > 0) pass_back(i, row, slopes);
  }
}

// d loss / d planes of a row, which the layer before made.
void ConvStack::pass_back(std::size_t i, int row, const float* slopes) {
  const auto& layer = layers_[i];
  kernels_.multiply({layer.places(), layer.out.channels, layer.inner(), slopes, layer.out.channels,
                     1, turned_.data(), nullptr, square_slopes_.data()});
  std::fill_n(field_slopes_.begin(), field_size(layer), 0.0F);
  kernels_.paste(squares_of(layer), square_slopes_.data(), field_slopes_.data());
  float* planes = backs_[i - 1].data() + static_cast<std::ptrdiff_t>(row) * layer.in.size();
  const auto line = layer.in.columns * layer.in.channels;
  for_each_line(layer, [&](std::ptrdiff_t in_planes, std::ptrdiff_t in_field) {
    std::copy_n(field_slopes_.begin() + in_field, line, planes + in_planes);
  });
}

const float* ConvStack::framed(std::size_t layer, const float* planes) {
  auto& field = fields_[layer];
  const auto& of = layers_[layer];
  const auto line = of.in.columns * of.in.channels;
  for_each_line(of, [&](std::ptrdiff_t in_planes, std::ptrdiff_t in_field) {
    std::copy_n(planes + in_planes, line, field.begin() + in_field);
  });
  return field.data();
}

}  // namespace hone::ga3c
