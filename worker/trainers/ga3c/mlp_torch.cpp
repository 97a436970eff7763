#include <ATen/ATen.h>

#include "worker/trainers/ga3c/network.hpp"

namespace hone::ga3c {
namespace {

at::Tensor view_of(const float* data, at::IntArrayRef sizes) {
  // from_blob wants a mutable pointer; what is viewed as constant here is only ever read.
  return at::from_blob(const_cast<float*>(data), sizes, at::kFloat);
}

// The two layers as views into a flat vector. The heads are one matrix: policy rows, then the value
// row.
struct Layers {
  const float* data = nullptr;
  at::Tensor hidden_weight, hidden_bias, head_weight, head_bias;
  at::Tensor hidden_weight_t, head_weight_t;

  Layers(const float* flat, const NetShape& shape) : data(flat) {
    const std::int64_t inputs = shape.inputs;
    const std::int64_t hidden = shape.hidden;
    const std::int64_t outputs = shape.actions + 1;
    hidden_weight = view_of(flat, {hidden, inputs});
    hidden_bias = view_of(flat += hidden * inputs, {hidden});
    head_weight = view_of(flat += hidden, {outputs, hidden});
    head_bias = view_of(flat += outputs * hidden, {outputs});
    hidden_weight_t = hidden_weight.t();
    head_weight_t = head_weight.t();
  }
};

// The buffers of a batch, as views of the right number of rows.
struct Batch {
  std::int64_t rows = -1;
  at::Tensor hidden, hidden_gradient, hidden_gradient_t, outputs, ones;
};

// Forward and backward are written out, with results into buffers that live as long as the object:
// for networks this small, autograd's bookkeeping and allocations cost ten times the arithmetic.
class Mlp final : public Network {
 public:
  Mlp(const NetShape& shape, int rows_max)
      : shape_(shape),
        hidden_(at::empty({rows_max, shape.hidden})),
        hidden_gradient_(at::empty({rows_max, shape.hidden})),
        outputs_(at::empty({rows_max, shape.actions + 1})),
        ones_(at::ones({rows_max})),
        gradient_(parameter_count(shape)),
        gradient_layers_(gradient_.data(), shape) {}

  std::span<float> forward(std::span<const float> parameters, const float* observations,
                           int rows) override {
    const at::NoGradGuard no_autograd;
    const Layers& layers = layers_of(parameters.data());
    use_rows(rows);
    inputs_ = view_of(observations, {rows, shape_.inputs});
    at::addmm_out(batch_.hidden, layers.hidden_bias, inputs_, layers.hidden_weight_t);
    activate();
    at::addmm_out(batch_.outputs, layers.head_bias, batch_.hidden, layers.head_weight_t);
    return {outputs_.data_ptr<float>(), static_cast<std::size_t>(rows * (shape_.actions + 1))};
  }

  std::span<const float> backward(std::span<const float> parameters,
                                  std::span<const float> output_gradient) override {
    const at::NoGradGuard no_autograd;
    const Layers& layers = layers_of(parameters.data());
    Layers& gradient = gradient_layers_;
    const auto back = view_of(output_gradient.data(), {batch_.rows, shape_.actions + 1});
    const auto back_t = back.t();
    at::mm_out(gradient.head_weight, back_t, batch_.hidden);
    at::mv_out(gradient.head_bias, back_t, batch_.ones);
    at::mm_out(batch_.hidden_gradient, back, layers.head_weight);
    pass_activation_back();
    at::mm_out(gradient.hidden_weight, batch_.hidden_gradient_t, inputs_);
    at::mv_out(gradient.hidden_bias, batch_.hidden_gradient_t, batch_.ones);
    return gradient_;
  }

 private:
  void activate() {
    switch (shape_.activation) {
      case Activation::relu:
        batch_.hidden.relu_();
        return;
      case Activation::tanh:
        batch_.hidden.tanh_();
        return;
    }
  }

  void pass_activation_back() {
    at::Tensor& gradient = batch_.hidden_gradient;
    switch (shape_.activation) {
      case Activation::relu:
        at::threshold_backward_out(gradient, gradient, batch_.hidden, 0);
        return;
      case Activation::tanh:
        at::tanh_backward_out(gradient, gradient, batch_.hidden);
        return;
    }
  }

  // Snapshots live in a few fixed buffers, so their views are made once.
  const Layers& layers_of(const float* parameters) {
    for (const auto& layers : layers_)
      if (layers.data == parameters) return layers;
    return layers_.emplace_back(parameters, shape_);
  }

  void use_rows(std::int64_t rows) {
    if (rows == batch_.rows) return;
    batch_.rows = rows;
    batch_.hidden = hidden_.narrow(0, 0, rows);
    batch_.hidden_gradient = hidden_gradient_.narrow(0, 0, rows);
    batch_.hidden_gradient_t = batch_.hidden_gradient.t();
    batch_.outputs = outputs_.narrow(0, 0, rows);
    batch_.ones = ones_.narrow(0, 0, rows);
  }

  NetShape shape_;
  at::Tensor hidden_, hidden_gradient_, outputs_, ones_, inputs_;
  std::vector<float> gradient_;
  Layers gradient_layers_;
  std::vector<Layers> layers_;
  Batch batch_;
};

}  // namespace

std::unique_ptr<Network> make_mlp(const NetShape& shape, int rows_max) {
  return std::make_unique<Mlp>(shape, rows_max);
}

}  // namespace hone::ga3c
