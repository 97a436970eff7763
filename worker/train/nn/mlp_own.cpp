#include <algorithm>

#include "worker/train/nn/convolutions.hpp"
#include "worker/train/nn/input_network.hpp"

namespace hone::nn {
namespace {

// From this size on it pays to transpose one side of a product: dot products of rows as short as a
// hidden layer spend half of their time on adding up registers.
constexpr int rows_worth_turning = 16;

class OwnMlp final : public InputNetwork {
 public:
  OwnMlp(const NetShape& shape, int rows_max, const dense::Kernels& kernels)
      : InputNetwork(input_floats_of(shape, rows_max)),
        shape_(shape),
        layout_(shape),
        kernels_(kernels),
        gradient_(layout_.size, 0.0F) {
    const auto rows = dense::padded(static_cast<std::size_t>(rows_max));
    const auto cells = rows * static_cast<std::size_t>(layout_.width);
    for (int i = 0; i < shape.layers; ++i) results_.emplace_back(cells);
    back_.resize(cells);
    turned_.resize(cells);
    turned_out_.resize(cells);
    if (shape.layers > 1) further_back_.resize(cells);
    outputs_.resize(rows * static_cast<std::size_t>(shape.outputs()));
    convs_ = make_convolutions(shape, rows_max, kernels);
    if (shape.storage != envs::Storage::floats && shape.kind != NetKind::conv)
      numbers_.resize(static_cast<std::size_t>(rows_max) * static_cast<std::size_t>(shape.inputs));
    if (convs_ == nullptr) return;
    feature_back_.resize(rows * static_cast<std::size_t>(convs_->features()));
    turned_out_.resize(std::max(cells, feature_back_.size()));
  }

  dense::Heads forward(const WeightView& weights, const float* observations, int rows) override {
    const auto packed = weights.parameters;
    rows_ = rows;
    if (!numbers_.empty()) observations = numbers_of(observations);
    inputs_ = convs_ ? convs_->forward(packed, observations, rows) : observations;
    for (std::size_t i = 0; i < layout_.hidden.size(); ++i) {
      const auto& layer = layout_.hidden[i];
      float* out = results_[i].data();
      const auto multiply = has_sparse_inputs(i) ? kernels_.multiply_sparse : kernels_.multiply;
      multiply({rows, layer.inner, layout_.width, inputs_of(i), step_of(i), 1,
                packed.data() + layer.weight, packed.data() + layer.bias, out});
      activate(out);
    }
    const auto stride = stride_of(rows);
    kernels_.dot({rows, layout_.width, shape_.outputs(), results_.back().data(),
                  packed.data() + layout_.head_weight, packed.data() + layout_.head_bias,
                  outputs_.data(), 1, stride});
    return {outputs_.data(), rows, shape_.policy_outputs(), stride};
  }

  std::span<const float> backward(std::span<const float> packed,
                                  const float* output_gradient) override {
    const auto stride = stride_of(rows_);
    const int outputs = shape_.outputs();
    float* gradient = gradient_.data();
    kernels_.outer({rows_, outputs, layout_.width, output_gradient, 1, stride,
                    results_.back().data(), nullptr, gradient + layout_.head_weight},
                   nullptr);
    std::fill_n(gradient + layout_.head_weight + shape_.actions * layout_.width,
                shape_.free_deviations() * layout_.width, 0.0F);
    for (int row = 0; row < outputs; ++row)
      gradient[layout_.head_bias + static_cast<std::size_t>(row)] =
          sum(output_gradient + row * stride);
    pass_heads_back(packed, output_gradient);
    for (std::size_t i = layout_.hidden.size(); i-- > 0;) pass_layer(i, packed);
    return gradient_;
  }

  void input_gradient(std::span<const float> packed, const float* output_gradient,
                      const InputRange& inputs, float* out) override {
    pass_heads_back(packed, output_gradient);
    for (std::size_t i = layout_.hidden.size(); i-- > 1;) {
      pass_activation_back(results_[i].data(), back_.data());
      pass_product_back(layout_.hidden[i], packed, further_back_.data(), layout_.width);
      std::swap(back_, further_back_);
    }
    pass_activation_back(results_.front().data(), back_.data());
    const float* weights =
        packed.data() + layout_.hidden.front().weight + inputs.first * layout_.width;
    kernels_.dot(
        {rows_, layout_.width, inputs.count, back_.data(), weights, nullptr, out, inputs.count, 1});
  }

 private:
  const float* numbers_of(const float* observations) {
    for (int row = 0; row < rows_; ++row, observations += shape_.input_floats())
      envs::read_numbers(shape_.storage, observations, shape_.inputs,
                         numbers_.data() + static_cast<std::ptrdiff_t>(row) * shape_.inputs);
    return numbers_.data();
  }

  // Leaves d loss / d results of the last hidden layer in back_.
  void pass_heads_back(std::span<const float> packed, const float* output_gradient) {
    kernels_.multiply({rows_, shape_.outputs(), layout_.width, output_gradient, 1, stride_of(rows_),
                       packed.data() + layout_.head_weight, nullptr, back_.data()});
  }

  // back_ is d loss / d results of layer i, and then of layer i - 1.
  void pass_layer(std::size_t i, std::span<const float> packed) {
    const auto& layer = layout_.hidden[i];
    pass_activation_back(results_[i].data(), back_.data());
    const auto outer = has_sparse_inputs(i) ? kernels_.outer_sparse : kernels_.outer;
    outer({rows_, layer.inner, layout_.width, inputs_of(i), step_of(i), 1, back_.data(), nullptr,
           gradient_.data() + layer.weight},
          gradient_.data() + layer.bias);
    if (i > 0) {
      pass_product_back(layer, packed, further_back_.data(), layout_.width);
      std::swap(back_, further_back_);
    } else if (convs_) {
      pass_product_back(layer, packed, feature_back_.data(), layer.inner);
      convs_->backward(packed, feature_back_.data(), gradient_);
    }
  }

  void pass_product_back(const PackedLayer& layer, std::span<const float> packed, float* out,
                         std::int64_t row_step) {
    const float* weights = packed.data() + layer.weight;
    if (rows_ < rows_worth_turning || layer.inner != row_step) {
      kernels_.dot(
          {rows_, layout_.width, layer.inner, back_.data(), weights, nullptr, out, row_step, 1});
      return;
    }
    if (shape_.activation == Activation::relu) {
      kernels_.multiply_turned_sparse({rows_, layout_.width, layer.inner, back_.data(),
                                       layout_.width, 1, weights, nullptr, out});
      return;
    }
    const int columns = static_cast<int>(stride_of(rows_));
    if (layer.inner * layout_.width > columns * (layer.inner + layout_.width))
      return turn_slopes(layer.inner, columns, weights, out);
    turned_.resize(std::max(turned_.size(), static_cast<std::size_t>(layer.inner) *
                                                static_cast<std::size_t>(layout_.width)));
    kernels_.transpose({layer.inner, layout_.width, weights, turned_.data()});
    kernels_.multiply({rows_, layout_.width, layer.inner, back_.data(), layout_.width, 1,
                       turned_.data(), nullptr, out});
  }

  // The same sums for large weight matrices: the weights are read once, in their order, and the
  // slopes are transposed before and after.
  void turn_slopes(int inner, int columns, const float* weights, float* out) {
    kernels_.transpose({columns, layout_.width, back_.data(), turned_.data()});
    kernels_.multiply({inner, layout_.width, columns, weights, layout_.width, 1, turned_.data(),
                       nullptr, turned_out_.data()});
    kernels_.transpose({inner, columns, turned_out_.data(), out});
  }

  // After a ReLU at least about half of the results are zeros.
  [[nodiscard]] bool has_sparse_inputs(std::size_t layer) const {
    return layer == 0 && convs_ != nullptr;
  }

  [[nodiscard]] const float* inputs_of(std::size_t layer) const {
    return layer == 0 ? inputs_ : results_[layer - 1].data();
  }
  [[nodiscard]] std::int64_t step_of(std::size_t layer) const {
    return layer == 0 ? layout_.hidden.front().inner : layout_.width;
  }
  static std::int64_t stride_of(int rows) {
    return static_cast<std::int64_t>(dense::padded(static_cast<std::size_t>(rows)));
  }
  [[nodiscard]] std::int64_t cells() const {
    return static_cast<std::int64_t>(rows_) * layout_.width;
  }

  void activate(float* values) const {
    switch (shape_.activation) {
      case Activation::relu:
        return kernels_.relu(values, cells());
      case Activation::tanh:
        return kernels_.tanh(values, cells());
    }
  }

  void pass_activation_back(const float* results, float* gradient) const {
    switch (shape_.activation) {
      case Activation::relu:
        return kernels_.relu_back(results, gradient, cells());
      case Activation::tanh:
        return kernels_.tanh_back(results, gradient, cells());
    }
  }

  [[nodiscard]] float sum(const float* values) const {
    float total = 0;
    for (int i = 0; i < rows_; ++i) total += values[i];
    return total;
  }

  NetShape shape_;
  NetLayout layout_;
  const dense::Kernels& kernels_;
  dense::Floats gradient_;
  std::vector<dense::Floats> results_;  // of each hidden layer
  dense::Floats back_, further_back_;
  dense::Floats turned_,
      turned_out_;  // transposed: weights or slopes, and slopes of the layer before
  dense::Floats outputs_;
  dense::Floats numbers_;                // observations converted from bytes
  std::unique_ptr<Convolutions> convs_;  // before the hidden layers, or nullptr
  dense::Floats feature_back_;           // d loss / d features
  const float* inputs_ = nullptr;        // of the first hidden layer
  int rows_ = 0;
};

}  // namespace

std::unique_ptr<Network> make_own_network(const NetShape& shape, int rows_max) {
  return make_own_network(shape, rows_max, dense::best_kernels());
}

std::unique_ptr<Network> make_own_network(const NetShape& shape, int rows_max,
                                          const dense::Kernels& kernels) {
  return std::make_unique<OwnMlp>(shape, rows_max, kernels);
}

std::unique_ptr<InputNetwork> make_input_network(const NetShape& shape, int rows_max) {
  return std::make_unique<OwnMlp>(shape, rows_max, dense::best_kernels());
}

}  // namespace hone::nn
