// A small network with one output: rectified layers, then a sum. The weights are the caller's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/rng.hpp"

namespace hone::cluster {

class Mlp {
 public:
  // Inputs, then the widths of the hidden layers. Precondition: at least two, all positive.
  explicit Mlp(std::vector<std::size_t> widths);

  [[nodiscard]] std::size_t inputs() const { return widths_.front(); }
  [[nodiscard]] std::size_t weights() const { return size_; }
  // He et al., 2015: uniform within sqrt(6 / inputs of the layer); the output's weights are a tenth
  // of it, and biases 0.
  [[nodiscard]] std::vector<double> first_weights(Rng& rng) const;

  // What each layer gave; the input is its first.
  using Activity = std::vector<std::vector<double>>;
  // Keeps the activity for backward().
  double forward(std::span<const double> weights, std::span<const double> input,
                 Activity& activity) const;
  // Adds slope * d output / d weights.
  void backward(std::span<const double> weights, const Activity& activity, double slope,
                std::span<double> gradient) const;

 private:
  std::vector<std::size_t> widths_;
  std::size_t size_ = 0;
};

}  // namespace hone::cluster
