#include "worker/train/nn/network.hpp"

#include <algorithm>
#include <cmath>

#include "worker/train/envs/core/stream.hpp"

namespace hone::nn {
namespace {

constexpr double policy_head_scale = 0.01;

// The squares cover all of the planes; with `blank` they may reach beyond the edges into padding.
ConvLayer conv_layer(const envs::Planes& in, int filters, int side, int stride, bool blank) {
  const auto places = [&](int extent) {
    return blank ? (extent + stride - 1) / stride : (extent - side) / stride + 1;
  };
  const int rows = places(in.rows);
  ConvLayer layer{in, {rows, places(in.columns), filters}, side, stride};
  layer.before = std::max(0, (rows - 1) * stride + side - in.rows) / 2;
  return layer;
}

}  // namespace

std::vector<ConvLayer> conv_layers(const NetShape& shape) {
  switch (shape.kind) {
    case NetKind::mlp:
      return {};
    case NetKind::minatar:
      return {conv_layer(shape.planes, 16, 3, 1, false)};
    case NetKind::conv:
      break;
  }
  const auto first = conv_layer(shape.planes, 16, 8, 4, true);
  return {first, conv_layer(first.out, 32, 4, 2, true)};
}

std::vector<NetPart> net_parts(const NetShape& shape) {
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  const auto actions = static_cast<std::size_t>(shape.actions);
  std::vector<NetPart> parts;
  auto inner = static_cast<std::size_t>(shape.inputs);
  for (const auto& conv : conv_layers(shape)) {
    const auto name = "conv" + (parts.empty() ? std::string() : "2");
    const auto side = static_cast<std::size_t>(conv.side);
    const auto filters = static_cast<std::size_t>(conv.out.channels);
    parts.push_back(
        {name + ".weight", {filters, side, side, static_cast<std::size_t>(conv.in.channels)}});
    parts.push_back({name + ".bias", {filters}});
    inner = static_cast<std::size_t>(conv.out.size());
  }
  for (int layer = 1; layer <= shape.layers; ++layer) {
    const auto name = "hidden" + (layer == 1 ? std::string() : std::to_string(layer));
    parts.push_back({name + ".weight", {hidden, inner}});
    parts.push_back({name + ".bias", {hidden}});
    inner = hidden;
  }
  parts.push_back({"policy.weight", {actions, hidden}});
  if (shape.policy == Policy::squashed)
    parts.push_back({"log_deviation.weight", {actions, hidden}});
  parts.push_back({"value.weight", {1, hidden}});
  parts.push_back({"policy.bias", {actions}});
  if (shape.deviations() > 0) parts.push_back({"log_deviation.bias", {actions}});
  parts.push_back({"value.bias", {1}});
  std::size_t offset = 0;
  for (auto& part : parts) {
    part.offset = offset;
    part.size = 1;
    for (const auto extent : part.shape) part.size *= extent;
    offset += part.size;
  }
  return parts;
}

std::size_t parameter_count(const NetShape& shape) {
  const auto parts = net_parts(shape);
  return parts.back().offset + parts.back().size;
}

std::vector<float> first_weights(const NetShape& shape, WeightStart start, std::uint64_t seed,
                                 double deviation) {
  std::vector<float> weights(parameter_count(shape), 0.0F);
  std::uint64_t index = 0;
  double fan_in = 1;
  for (const auto& part : net_parts(shape)) {
    envs::Stream stream(seed, envs::Purpose::weights, index++);
    const bool hidden_layer = part.name.starts_with("hidden") || part.name.starts_with("conv");
    const bool bias = part.name.ends_with("bias");  // biases follow their weights
    if (!bias) fan_in = static_cast<double>(part.size / part.shape.front());
    const double spread = 1.0 / std::sqrt(fan_in);
    for (std::size_t i = 0; i < part.size; ++i) {
      double weight = 0;
      if (start == WeightStart::uniform)
        weight = stream.uniform(-spread, spread);
      else if (!bias)
        weight = spread * stream.normal();
      if (start == WeightStart::scaled && hidden_layer) weight *= std::sqrt(2.0);
      if (start == WeightStart::scaled && part.name == "policy.weight") weight *= policy_head_scale;
      if (part.name == "log_deviation.bias") weight = std::log(deviation);
      weights[part.offset + i] = static_cast<float>(weight);
    }
  }
  return weights;
}

std::size_t input_floats_of(const NetShape& shape, int rows_max) {
  return dense::padded(static_cast<std::size_t>(rows_max)) *
         static_cast<std::size_t>(shape.input_floats());
}

}  // namespace hone::nn
