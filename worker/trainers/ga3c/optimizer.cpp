#include "worker/trainers/ga3c/optimizer.hpp"

#include <algorithm>
#include <cmath>

namespace hone::ga3c {

RmsProp::RmsProp(const RmsPropRule& rule, std::size_t parameters)
    : rule_(rule), mean_square_(parameters, 1.0F) {}

double RmsProp::step(std::span<float> parameters, std::span<const float> gradient,
                     double learning_rate) {
  double square = 0;
  for (const float g : gradient) square += static_cast<double>(g) * g;
  const double norm = std::sqrt(square);
  if (!std::isfinite(norm)) return norm;

  const bool clipped = rule_.clip > 0 && norm > rule_.clip;
  const auto scale = static_cast<float>(clipped ? rule_.clip / norm : 1.0);
  const auto decay = static_cast<float>(rule_.decay);
  const auto rest = static_cast<float>(1.0 - rule_.decay);
  const auto epsilon =
      static_cast<float>(std::max(rule_.epsilon, 1e-30));  // no gradient, no step: not 0/0
  const auto rate = static_cast<float>(learning_rate);
  float poison = 0;  // NaN as soon as one parameter is not finite
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float g = gradient[i] * scale;
    mean_square_[i] = decay * mean_square_[i] + rest * g * g;
    parameters[i] -= rate * g / std::sqrt(mean_square_[i] + epsilon);
    poison += parameters[i] - parameters[i];
  }
  return norm + poison;
}

}  // namespace hone::ga3c
