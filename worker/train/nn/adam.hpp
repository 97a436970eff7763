// Adam (Kingma and Ba, 2015) in double precision, for the small policies of the episodic and the
// placement trainers. optimizer.cpp has it for packed floats; there the corrections are folded into
// the rate, which rounds differently, and models must stay the same bit for bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "schemas/codec/json.hpp"
#include "worker/train/nn/json_state.hpp"

namespace hone::trainers {

class Adam {
 public:
  // Moves `values` against the gradient; with a negative rate, along it.
  void step(std::vector<double>& values, const std::vector<double>& gradient, double rate) {
    constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    mean_.resize(values.size(), 0);
    square_.resize(values.size(), 0);
    ++count_;
    const double unbias1 = 1 - std::pow(beta1, static_cast<double>(count_));
    const double unbias2 = 1 - std::pow(beta2, static_cast<double>(count_));
    for (std::size_t i = 0; i < values.size(); ++i) {
      mean_[i] = beta1 * mean_[i] + (1 - beta1) * gradient[i];
      square_[i] = beta2 * square_[i] + (1 - beta2) * gradient[i] * gradient[i];
      values[i] -= rate * (mean_[i] / unbias1) / (std::sqrt(square_[i] / unbias2) + epsilon);
    }
  }

  [[nodiscard]] Json state() const {
    return {{"count", count_}, {"mean", mean_}, {"square", square_}};
  }
  // Returns false for a damaged state and for one of another number of values.
  [[nodiscard]] bool restore(const Json& state, std::size_t values) {
    JsonState reader(state);
    reader.read("count", count_).read("mean", mean_).read("square", square_);
    return reader.sound() && count_ >= 0 && square_.size() == mean_.size() &&
           (mean_.empty() || mean_.size() == values);
  }

 private:
  std::int64_t count_ = 0;
  std::vector<double> mean_, square_;
};

}  // namespace hone::trainers
