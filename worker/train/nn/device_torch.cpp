#include "worker/train/nn/device_torch.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/cuda.h>

#include <algorithm>

namespace hone::ga3c {
namespace {

at::Tensor view_of(const float* data, at::IntArrayRef sizes) {
  // from_blob takes a mutable pointer; the view is only read.
  return at::from_blob(const_cast<float*>(data), sizes, at::kFloat);
}

std::int64_t stride_of(std::int64_t rows) {
  return static_cast<std::int64_t>(dense::padded(static_cast<std::size_t>(rows)));
}

class DeviceNetwork final : public Network {
 public:
  DeviceNetwork(const NetShape& shape, int rows_max, Device device)
      : shape_(shape),
        layout_(shape),
        on_device_(
            at::TensorOptions(at::kFloat).device(device == Device::cuda ? at::kCUDA : at::kCPU)),
        staged_(at::empty({rows_max, shape.input_floats()}, here())),
        weights_(at::zeros({static_cast<std::int64_t>(layout_.size)}, on_device_)),
        host_outputs_(at::zeros({shape.outputs() * stride_of(rows_max)}, here())),
        host_gradient_(at::empty({static_cast<std::int64_t>(layout_.size)}, here())) {}

  dense::Heads forward(std::span<const float> packed, const float* observations,
                       int rows) override {
    const auto vector = view_of(packed.data(), {static_cast<std::int64_t>(packed.size())});
    weights_ = vector.to(on_device_.device(), /*non_blocking=*/false, /*copy=*/true);
    weights_.set_requires_grad(true);
    const auto inputs = staged_.narrow(0, 0, rows);
    std::copy_n(observations, inputs.numel(), inputs.data_ptr<float>());
    outputs_ = heads_of(numbers_of(inputs.to(on_device_.device(), /*non_blocking=*/true)));
    host_rows(rows).copy_(outputs_.detach());
    return {host_outputs_.data_ptr<float>(), rows, shape_.policy_outputs(),
            static_cast<int>(stride_of(rows))};
  }

  std::span<const float> backward(std::span<const float>, const float* output_gradient) override {
    const auto rows = outputs_.size(0);
    const auto slopes = at::from_blob(const_cast<float*>(output_gradient), {rows, shape_.outputs()},
                                      {1, stride_of(rows)}, at::kFloat);
    auto gradient =
        torch::autograd::grad({outputs_}, {weights_}, {slopes.to(on_device_.device())}).front();
    // Rows of free log deviations have no weights: their gradient is dropped.
    const auto width = static_cast<std::int64_t>(layout_.width);
    gradient
        .narrow(0, static_cast<std::int64_t>(layout_.head_weight) + shape_.actions * width,
                shape_.free_deviations() * width)
        .zero_();
    host_gradient_.copy_(gradient);
    return {host_gradient_.data_ptr<float>(), layout_.size};
  }

 private:
  // With a GPU: pinned memory, which the GPU reads while this thread continues.
  [[nodiscard]] at::TensorOptions here() const {
    return at::TensorOptions(at::kFloat).pinned_memory(on_device_.device().is_cuda());
  }

  [[nodiscard]] at::Tensor part(std::size_t start, at::IntArrayRef sizes) const {
    std::int64_t count = 1;
    for (const auto size : sizes) count *= size;
    return weights_.narrow(0, static_cast<std::int64_t>(start), count).view(sizes);
  }

  at::Tensor host_rows(std::int64_t rows) {
    return host_outputs_.as_strided({rows, shape_.outputs()}, {1, stride_of(rows)});
  }

  [[nodiscard]] at::Tensor heads_of(const at::Tensor& observations) const {
    auto x = layout_.convs.empty() ? observations : features_of(observations);
    for (const auto& layer : layout_.hidden) {
      x = at::addmm(part(layer.bias, {layout_.width}), x.narrow(1, 0, layer.inner),
                    part(layer.weight, {layer.inner, layout_.width}));
      x = shape_.activation == Activation::tanh ? at::tanh(x) : at::relu(x);
    }
    return at::addmm(part(layout_.head_bias, {shape_.outputs()}), x,
                     part(layout_.head_weight, {shape_.outputs(), layout_.width}).t());
  }

  // Bytes are converted to floats on the device.
  [[nodiscard]] at::Tensor numbers_of(const at::Tensor& rows) const {
    if (shape_.storage == envs::Storage::floats) return rows;
    return rows.view(at::kByte).narrow(1, 0, shape_.inputs).to(at::kFloat) * envs::byte_scale;
  }

  // Planes are [row][column][channel] here and [channel][row][column] in libtorch.
  [[nodiscard]] at::Tensor features_of(const at::Tensor& observations) const {
    const auto& planes = shape_.planes;
    auto x =
        observations.view({-1, planes.rows, planes.columns, planes.channels}).permute({0, 3, 1, 2});
    for (const auto& layer : layout_.convs) {
      const auto after = [&](int in, int out) {
        return std::max(0, (out - 1) * layer.stride + layer.side - in) - layer.before;
      };
      x = at::constant_pad_nd(x, {layer.before, after(layer.in.columns, layer.out.columns),
                                  layer.before, after(layer.in.rows, layer.out.rows)});
      const auto filters =
          part(layer.weight, {layer.side, layer.side, layer.in.channels, layer.out.channels})
              .permute({3, 2, 0, 1});
      x = at::relu(at::conv2d(x, filters, part(layer.bias, {layer.out.channels}), layer.stride));
    }
    return x.permute({0, 2, 3, 1}).flatten(1);
  }

  NetShape shape_;
  NetLayout layout_;
  at::TensorOptions on_device_;
  at::Tensor staged_, weights_, outputs_;
  at::Tensor host_outputs_, host_gradient_;
};

}  // namespace

bool has_cuda() { return torch::cuda::is_available(); }

std::unique_ptr<Network> make_device_network(const NetShape& shape, int rows_max, Device device) {
  return std::make_unique<DeviceNetwork>(shape, rows_max, device);
}

}  // namespace hone::ga3c
