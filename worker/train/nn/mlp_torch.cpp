// The perceptron on libtorch. Part of the module that is loaded on demand.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "worker/train/nn/device_torch.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::nn {
namespace {

at::Tensor view_of(const float* data, at::IntArrayRef sizes) {
  // from_blob takes a mutable pointer; the view is only read.
  return at::from_blob(const_cast<float*>(data), sizes, at::kFloat);
}

// The layers as views into a packed vector.
struct Layers {
  const float* data = nullptr;
  std::vector<at::Tensor> weight, bias;
  at::Tensor head_weight, head_bias;

  Layers(const float* packed, const NetShape& shape) : data(packed) {
    const NetLayout layout(shape);
    for (const auto& layer : layout.hidden) {
      weight.push_back(view_of(packed + layer.weight, {layer.inner, layout.width}));
      bias.push_back(view_of(packed + layer.bias, {layout.width}));
    }
    head_weight = view_of(packed + layout.head_weight, {shape.outputs(), layout.width});
    head_bias = view_of(packed + layout.head_bias, {shape.outputs()});
  }
};

// Forward and backward are written out, with results in buffers that live as long as the object:
// for networks this small, the bookkeeping and allocations of autograd cost ten times the
// arithmetic.
class TorchMlp final : public Network {
 public:
  TorchMlp(const NetShape& shape, int rows_max)
      : Network(input_floats_of(shape, rows_max)),
        shape_(shape),
        back_(at::empty({rows_max, NetLayout(shape).width})),
        outputs_(at::zeros({shape.outputs(), stride_of(rows_max)})),
        ones_(at::ones({rows_max})),
        gradient_(NetLayout(shape).size, 0.0F),
        gradient_layers_(gradient_.data(), shape) {
    for (int i = 0; i < shape.layers; ++i) results_.push_back(at::empty_like(back_));
    layers_.reserve(snapshots_max_);
  }

  dense::Heads forward(const WeightView& weights, const float* observations, int rows) override {
    const at::NoGradGuard no_autograd;
    const Layers& layers = layers_of(weights.parameters.data());
    use_rows(rows);
    inputs_ = inputs_of_rows(observations, rows);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      at::addmm_out(now_.results[i], layers.bias[i], inputs_of(i), layers.weight[i]);
      activate(now_.results[i]);
    }
    at::addmm_out(now_.outputs, layers.head_bias, now_.results.back(), layers.head_weight.t());
    return {outputs_.data_ptr<float>(), rows, shape_.policy_outputs(), stride_of(rows)};
  }

  std::span<const float> backward(std::span<const float> packed,
                                  const float* output_gradient) override {
    const at::NoGradGuard no_autograd;
    const Layers& layers = layers_of(packed.data());
    const auto rows = now_.back.size(0);
    const auto back_t = at::from_blob(const_cast<float*>(output_gradient), {shape_.outputs(), rows},
                                      {stride_of(rows), 1}, at::kFloat);
    Layers& gradient = gradient_layers_;
    at::mm_out(gradient.head_weight, back_t, now_.results.back());
    gradient.head_weight.narrow(0, shape_.actions, shape_.free_deviations()).zero_();
    at::mv_out(gradient.head_bias, back_t, now_.ones);
    at::mm_out(now_.back, back_t.t(), layers.head_weight);
    for (std::size_t i = results_.size(); i-- > 0;) {
      pass_activation_back(now_.results[i]);
      at::mm_out(gradient.weight[i], inputs_of(i).t(), now_.back);
      at::mv_out(gradient.bias[i], now_.back.t(), now_.ones);
      if (i > 0)
        now_.back.narrow(1, 0, shape_.hidden).copy_(at::mm(now_.back, layers.weight[i].t()));
    }
    return gradient_;
  }

 private:
  // The buffers of a batch, as views of the right number of rows.
  struct Batch {
    std::vector<at::Tensor> results;
    at::Tensor back, outputs, ones;
  };

  void activate(at::Tensor& values) const {
    switch (shape_.activation) {
      case Activation::relu:
        values.relu_();
        return;
      case Activation::tanh:
        values.tanh_();
        return;
    }
  }

  void pass_activation_back(const at::Tensor& results) {
    switch (shape_.activation) {
      case Activation::relu:
        at::threshold_backward_out(now_.back, now_.back, results, 0);
        return;
      case Activation::tanh:
        at::tanh_backward_out(now_.back, now_.back, results);
        return;
    }
  }

  [[nodiscard]] at::Tensor inputs_of(std::size_t layer) const {
    return layer == 0 ? inputs_ : now_.results[layer - 1].narrow(1, 0, shape_.hidden);
  }

  static std::int64_t stride_of(std::int64_t rows) {
    return static_cast<std::int64_t>(dense::padded(static_cast<std::size_t>(rows)));
  }

  [[nodiscard]] at::Tensor inputs_of_rows(const float* observations, int rows) const {
    if (shape_.storage == envs::Storage::floats)
      return view_of(observations, {rows, shape_.inputs});
    auto numbers = at::empty({rows, shape_.inputs});
    for (int row = 0; row < rows; ++row, observations += shape_.input_floats())
      envs::read_numbers(
          shape_.storage, observations, shape_.inputs,
          numbers.data_ptr<float>() + static_cast<std::int64_t>(row) * shape_.inputs);
    return numbers;
  }

  // Snapshots are in a few fixed buffers, so their views are made once.
  const Layers& layers_of(const float* packed) {
    for (const auto& layers : layers_)
      if (layers.data == packed) return layers;
    if (layers_.size() == snapshots_max_) layers_.clear();
    return layers_.emplace_back(packed, shape_);
  }

  void use_rows(std::int64_t rows) {
    if (now_.back.defined() && rows == now_.back.size(0)) return;
    now_.results.clear();
    for (auto& results : results_) now_.results.push_back(results.narrow(0, 0, rows));
    now_.back = back_.narrow(0, 0, rows);
    now_.outputs = outputs_.as_strided({rows, shape_.outputs()}, {1, stride_of(rows)});
    now_.ones = ones_.narrow(0, 0, rows);
  }

  static constexpr std::size_t snapshots_max_ = 64;

  NetShape shape_;
  at::Tensor back_, outputs_, ones_, inputs_;
  std::vector<at::Tensor> results_;
  dense::Floats gradient_;
  Layers gradient_layers_;
  std::vector<Layers> layers_;
  Batch now_;
};

NetworkMaker cpu_maker() {
  return {[](const NetShape& shape, int rows_max) -> std::unique_ptr<Network> {
    if (shape.kind == NetKind::mlp) return std::make_unique<TorchMlp>(shape, rows_max);
    return make_device_network(shape, rows_max, make_cpu_queue());
  }};
}

}  // namespace
}  // namespace hone::nn

// The functions that network_maker.cpp looks up.
extern "C" hone::nn::NetworkMaker* hone_torch_maker(bool cuda) {
  namespace nn = hone::nn;
  if (cuda) return std::make_unique<nn::NetworkMaker>(nn::cuda_maker({})).release();
  return std::make_unique<nn::NetworkMaker>(nn::cpu_maker()).release();
}
// What tests/bench/device_bench.cpp looks up.
extern "C" hone::nn::NetworkMaker* hone_torch_cuda_maker(const hone::nn::DeviceChoices& choices) {
  return std::make_unique<hone::nn::NetworkMaker>(hone::nn::cuda_maker(choices)).release();
}
extern "C" bool hone_torch_has_cuda() { return hone::nn::has_cuda(); }
