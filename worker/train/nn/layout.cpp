#include <cassert>
#include <functional>

#include "worker/train/nn/network.hpp"

namespace hone::nn {
namespace {

// Calls visit(index in the order of the file, index in the packed vector) for every parameter.
void for_each_parameter(const NetShape& shape,
                        const std::function<void(std::size_t, std::size_t)>& visit) {
  const NetLayout layout(shape);
  const auto width = static_cast<std::size_t>(layout.width);
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  std::size_t from = 0;
  for (const auto& conv : layout.convs) {
    const auto inner = static_cast<std::size_t>(conv.inner());
    const auto filters = static_cast<std::size_t>(conv.out.channels);
    for (std::size_t f = 0; f < filters; ++f)
      for (std::size_t k = 0; k < inner; ++k) visit(from++, conv.weight + k * filters + f);
    for (std::size_t f = 0; f < filters; ++f) visit(from++, conv.bias + f);
  }
  for (const auto& layer : layout.hidden) {
    const auto inner = static_cast<std::size_t>(layer.inner);
    for (std::size_t h = 0; h < hidden; ++h)
      for (std::size_t k = 0; k < inner; ++k) visit(from++, layer.weight + k * width + h);
    for (std::size_t h = 0; h < hidden; ++h) visit(from++, layer.bias + h);
  }
  const auto outputs = static_cast<std::size_t>(shape.outputs());
  const auto means_end = static_cast<std::size_t>(shape.actions);
  const auto free_end = means_end + static_cast<std::size_t>(shape.free_deviations());
  for (std::size_t row = 0; row < outputs; ++row) {
    if (row >= means_end && row < free_end) continue;  // they have no weights
    for (std::size_t h = 0; h < hidden; ++h) visit(from++, layout.head_weight + row * width + h);
  }
  for (std::size_t row = 0; row < outputs; ++row) visit(from++, layout.head_bias + row);
}

}  // namespace

NetLayout::NetLayout(const NetShape& shape)
    : convs(conv_layers(shape)),
      width(static_cast<int>(dense::padded(static_cast<std::size_t>(shape.hidden)))) {
  const auto columns = static_cast<std::size_t>(width);
  int inner = shape.inputs;
  for (auto& conv : convs) {
    conv.weight = size;
    size += static_cast<std::size_t>(conv.inner() * conv.out.channels);
    conv.bias = size;
    size += static_cast<std::size_t>(conv.out.channels);
    inner = conv.out.size();
  }
  for (int i = 0; i < shape.layers; ++i) {
    const auto weight = size;
    size += static_cast<std::size_t>(inner) * columns;
    hidden.push_back({weight, size, inner});
    size += columns;
    inner = shape.hidden;
  }
  const auto outputs = static_cast<std::size_t>(shape.outputs());
  head_weight = size;
  head_bias = head_weight + outputs * columns;
  size = head_bias + dense::padded(outputs);
}

dense::Floats pack(const NetShape& shape, std::span<const float> values) {
  assert(values.size() == parameter_count(shape));
  dense::Floats packed(NetLayout(shape).size, 0.0F);
  for_each_parameter(shape, [&](std::size_t from, std::size_t to) { packed[to] = values[from]; });
  return packed;
}

std::vector<float> unpack(const NetShape& shape, std::span<const float> packed) {
  std::vector<float> values(parameter_count(shape));
  for_each_parameter(shape, [&](std::size_t to, std::size_t from) { values[to] = packed[from]; });
  return values;
}

}  // namespace hone::nn
