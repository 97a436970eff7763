#include "worker/trainers/ga3c/gaussian.hpp"

#include <numbers>

namespace hone::ga3c {
namespace {

const double log_root_two_pi = 0.5 * std::log(2 * std::numbers::pi);

}  // namespace

dense::LossSums gaussian_loss(const dense::LossPlan& plan, const float* numbers) {
  const auto& heads = plan.outputs;
  const int each = heads.actions / 2;
  const double scale = plan.scale;
  dense::LossSums sums;
  for (int row = 0; row < heads.rows; ++row) {
    const auto output = [&](int i) { return heads.data[i * heads.stride + row]; };
    const auto put = [&](int i, double slope) {
      plan.gradient[i * heads.stride + row] = static_cast<float>(scale * slope);
    };
    const double error =
        static_cast<double>(plan.targets[row]) - static_cast<double>(output(heads.actions));
    double log_density = 0;
    double entropy = 0;
    for (int i = 0; i < each; ++i, ++numbers) {
      const double deviation = gaussian_deviation(output(each + i));
      const double z = (static_cast<double>(*numbers) - static_cast<double>(output(i))) / deviation;
      log_density -= 0.5 * z * z + std::log(deviation) + log_root_two_pi;
      entropy += std::log(deviation) + log_root_two_pi + 0.5;
      put(i, -error * z / deviation);
      put(each + i, -error * (z * z - 1) - static_cast<double>(plan.entropy));
    }
    const double value = plan.value;
    put(heads.actions, -2 * value * error);
    sums.policy -= log_density * error;
    sums.value += value * error * error;
    sums.entropy += entropy;
  }
  return sums;
}

}  // namespace hone::ga3c
