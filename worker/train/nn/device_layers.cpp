#include "worker/train/nn/device_layers.hpp"

#include <algorithm>
#include <tuple>

namespace hone::nn {
namespace {

// Views into a packed vector.
at::Tensor part(const at::Tensor& packed, std::size_t start, at::IntArrayRef sizes) {
  std::int64_t count = 1;
  for (const auto size : sizes) count *= size;
  return packed.narrow(0, static_cast<std::int64_t>(start), count).view(sizes);
}

// [filter][channel][row][column], as libtorch counts; in memory they keep hone's order.
at::Tensor filters_of(const at::Tensor& packed, const ConvLayer& layer) {
  return part(packed, layer.weight, {layer.side, layer.side, layer.in.channels, layer.out.channels})
      .permute({3, 2, 0, 1});
}

// Blank rows below, or columns to the right.
int blank_after(const ConvLayer& layer, int in, int out) {
  return std::max(0, (out - 1) * layer.stride + layer.side - in) - layer.before;
}

// Planes are [row][column][channel] in memory and [channel][row][column] for libtorch.
at::Tensor planes_of(const at::Tensor& rows, const envs::Planes& planes) {
  return rows.view({-1, planes.rows, planes.columns, planes.channels}).permute({0, 3, 1, 2});
}

at::Tensor rows_of(const at::Tensor& planes) {
  return planes.permute({0, 2, 3, 1}).contiguous().flatten(1);
}

// Whether there are as many blank rows and columns after the planes as before them: libtorch then
// adds them within the convolution.
bool is_even(const ConvLayer& layer) {
  return blank_after(layer, layer.in.columns, layer.out.columns) == layer.before &&
         blank_after(layer, layer.in.rows, layer.out.rows) == layer.before;
}

std::int64_t blank_within(const ConvLayer& layer) { return is_even(layer) ? layer.before : 0; }

at::Tensor padded_planes(const at::Tensor& planes, const ConvLayer& layer) {
  if (is_even(layer)) return planes;
  return at::constant_pad_nd(
      planes, {layer.before, blank_after(layer, layer.in.columns, layer.out.columns), layer.before,
               blank_after(layer, layer.in.rows, layer.out.rows)});
}

at::Tensor activated(Activation activation, const at::Tensor& x) {
  switch (activation) {
    case Activation::relu:
      return at::relu(x);
    case Activation::tanh:
      break;
  }
  return at::tanh(x);
}

at::Tensor activation_back(Activation activation, const at::Tensor& results,
                           const at::Tensor& back) {
  switch (activation) {
    case Activation::relu:
      return at::threshold_backward(back, results, 0);
    case Activation::tanh:
      break;
  }
  return at::tanh_backward(back, results);
}

}  // namespace

DeviceLayers::DeviceLayers(const NetShape& shape, const at::TensorOptions& options)
    : shape_(shape),
      layout_(shape),
      weights_(at::zeros({static_cast<std::int64_t>(layout_.size)}, options)),
      gradient_(at::zeros_like(weights_)) {
  for (const auto& layer : layout_.convs)
    filters_.push_back(at::empty({layer.out.channels, layer.in.channels, layer.side, layer.side},
                                 options, at::MemoryFormat::ChannelsLast));
}

void DeviceLayers::use_weights() {
  for (std::size_t i = 0; i < filters_.size(); ++i)
    filters_[i].copy_(filters_of(weights_, layout_.convs[i]));
}

at::Tensor DeviceLayers::features_of(DeviceBatch& batch) const {
  auto x = batch.observations;
  if (shape_.storage == envs::Storage::bytes)  // converted on the device
    x = x.view(at::kByte).narrow(1, 0, shape_.inputs).to(at::kFloat).mul_(envs::byte_scale);
  if (layout_.convs.empty()) return x;
  batch.conv_inputs.clear();
  batch.conv_results.clear();
  x = planes_of(x, shape_.planes);
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const auto& layer = layout_.convs[i];
    batch.conv_inputs.push_back(padded_planes(x, layer));
    x = at::conv2d(batch.conv_inputs.back(), filters_[i],
                   part(weights_, layer.bias, {layer.out.channels}), layer.stride,
                   blank_within(layer))
            .relu_();
    batch.conv_results.push_back(x);
  }
  return rows_of(x);
}

void DeviceLayers::forward(DeviceBatch& batch) const {
  batch.features = features_of(batch);
  batch.results.clear();
  auto x = batch.features;
  for (const auto& layer : layout_.hidden) {
    x = activated(
        shape_.activation,
        at::addmm(part(weights_, layer.bias, {layout_.width}), x.narrow(1, 0, layer.inner),
                  part(weights_, layer.weight, {layer.inner, layout_.width})));
    batch.results.push_back(x);
  }
  const std::int64_t outputs = shape_.outputs();
  batch.outputs = at::addmm(part(weights_, layout_.head_bias, {outputs, 1}),
                            part(weights_, layout_.head_weight, {outputs, layout_.width}), x.t());
}

void DeviceLayers::backward(const DeviceBatch& batch) {
  const std::int64_t outputs = shape_.outputs();
  const auto head = part(weights_, layout_.head_weight, {outputs, layout_.width});
  auto head_gradient = part(gradient_, layout_.head_weight, {outputs, layout_.width});
  at::mm_out(head_gradient, batch.slopes, batch.results.back());
  // Rows of free log deviations have no weights.
  head_gradient.narrow(0, shape_.actions, shape_.free_deviations()).zero_();
  part(gradient_, layout_.head_bias, {outputs}).copy_(batch.slopes.sum(1));
  const auto back = hidden_back(batch, at::mm(batch.slopes.t(), head));
  if (!layout_.convs.empty()) convolutions_back(batch, back);
}

at::Tensor DeviceLayers::hidden_back(const DeviceBatch& batch, at::Tensor back) {
  for (std::size_t i = layout_.hidden.size(); i-- > 0;) {
    const auto& layer = layout_.hidden[i];
    const auto& inputs = i == 0 ? batch.features : batch.results[i - 1];
    back = activation_back(shape_.activation, batch.results[i], back);
    auto weight_gradient = part(gradient_, layer.weight, {layer.inner, layout_.width});
    at::mm_out(weight_gradient, inputs.narrow(1, 0, layer.inner).t(), back);
    part(gradient_, layer.bias, {layout_.width}).copy_(back.sum(0));
    if (i == 0 && layout_.convs.empty()) break;
    back = at::mm(back, part(weights_, layer.weight, {layer.inner, layout_.width}).t());
    if (i > 0) back = at::constant_pad_nd(back, {0, layout_.width - layer.inner});
  }
  return back;
}

void DeviceLayers::convolutions_back(const DeviceBatch& batch, const at::Tensor& features_back) {
  auto back = planes_of(features_back, layout_.convs.back().out);
  for (std::size_t i = filters_.size(); i-- > 0;) {
    const auto& layer = layout_.convs[i];
    const auto blank = blank_within(layer);
    back = at::threshold_backward(back, batch.conv_results[i], 0);
    at::Tensor inputs_back, weight_back, bias_back;
    std::tie(inputs_back, weight_back, bias_back) = at::convolution_backward(
        back, batch.conv_inputs[i], filters_[i], at::IntArrayRef{layer.out.channels},
        {layer.stride, layer.stride}, {blank, blank}, {1, 1}, /*transposed=*/false, {0, 0},
        /*groups=*/1, {i > 0, true, true});
    filters_of(gradient_, layer).copy_(weight_back);
    part(gradient_, layer.bias, {layer.out.channels}).copy_(bias_back);
    if (i == 0) break;
    const int before = is_even(layer) ? 0 : layer.before;
    back = inputs_back.narrow(2, before, layer.in.rows).narrow(3, before, layer.in.columns);
  }
}

}  // namespace hone::nn
