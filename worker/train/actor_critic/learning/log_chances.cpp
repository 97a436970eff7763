#include "worker/train/actor_critic/learning/log_chances.hpp"

#include <algorithm>
#include <cmath>

#include "worker/train/actor_critic/learning/gaussian.hpp"

namespace hone::ga3c {
namespace {

double categorical_log_chance(const dense::Heads& outputs, int row, std::int32_t action) {
  const auto logit = [&](int a) {
    return static_cast<double>(outputs.data[a * outputs.stride + row]);
  };
  double top = logit(0);
  for (int a = 1; a < outputs.actions; ++a) top = std::max(top, logit(a));
  double sum = 0;
  for (int a = 0; a < outputs.actions; ++a) sum += std::exp(logit(a) - top);
  return logit(action) - top - std::log(sum);
}

}  // namespace

void note_log_chances(const NetShape& shape, const dense::Heads& outputs,
                      const std::int32_t* actions, const float* numbers, std::span<double> out) {
  const auto each = static_cast<std::size_t>(shape.deviations());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = static_cast<int>(i);
    if (each == 0) {
      out[i] = categorical_log_chance(outputs, row, actions[i]);
      continue;
    }
    out[i] = 0;
    for (std::size_t d = 0; d < each; ++d) {
      const auto at = [&](std::size_t output) {
        return outputs.data[static_cast<std::int64_t>(output) * outputs.stride + row];
      };
      out[i] += gaussian_log_density(static_cast<double>(numbers[i * each + d]),
                                     static_cast<double>(at(d)), gaussian_deviation(at(each + d)));
    }
  }
}

}  // namespace hone::ga3c
