#include "worker/train/continuous/squashed.hpp"

#include <cmath>
#include <numbers>

#include "worker/train/nn/gaussian.hpp"

namespace hone::sac {
namespace {

float output_at(const dense::Heads& outputs, int output, int row) {
  return outputs.data[output * outputs.stride + row];
}

// log(1 - tanh(u)^2), also where tanh(u) rounds to 1.
double log_slope(double u) {
  const double size = std::abs(u);
  return 2 * (std::numbers::ln2 - size - std::log1p(std::exp(-2 * size)));
}

bool within_bounds(float log_deviation) {
  const double number = log_deviation;
  return number >= nn::log_deviation_min && number <= nn::log_deviation_max;
}

}  // namespace

void squash(const dense::Heads& outputs, std::span<const double> noise, std::span<float> actions,
            std::span<double> log_densities) {
  const int each = outputs.actions / 2;
  std::size_t at = 0;
  for (int row = 0; row < outputs.rows; ++row) {
    double log_density = 0;
    for (int i = 0; i < each; ++i, ++at) {
      const double deviation = nn::gaussian_deviation(output_at(outputs, each + i, row));
      const double u = static_cast<double>(output_at(outputs, i, row)) + deviation * noise[at];
      log_density -= noise[at] * noise[at] / 2 + std::log(deviation) +
                     std::log(2 * std::numbers::pi) / 2 + log_slope(u);
      actions[at] = static_cast<float>(std::tanh(u));
    }
    log_densities[static_cast<std::size_t>(row)] = log_density;
  }
}

// With u = mean + deviation * noise: d log pi / du = 2 a, da / du = 1 - a^2.
void policy_gradient(const PolicyLoss& loss, float* gradient) {
  const auto& outputs = loss.outputs;
  const int each = outputs.actions / 2;
  const double share = 1.0 / outputs.rows;
  std::size_t at = 0;
  for (int row = 0; row < outputs.rows; ++row) {
    const auto put = [&](int output, double slope) {
      gradient[output * outputs.stride + row] = static_cast<float>(share * slope);
    };
    for (int i = 0; i < each; ++i, ++at) {
      const float log_deviation = output_at(outputs, each + i, row);
      const double action = loss.actions[at];
      const double pull = loss.temperature * 2 * action -
                          static_cast<double>(loss.value_slopes[at]) * (1 - action * action);
      const double spread = nn::gaussian_deviation(log_deviation) * loss.noise[at];
      put(i, pull);
      put(each + i, within_bounds(log_deviation) ? pull * spread - loss.temperature : 0);
    }
    put(outputs.actions, 0);
  }
}

}  // namespace hone::sac
