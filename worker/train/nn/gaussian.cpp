#include "worker/train/nn/gaussian.hpp"

namespace hone::nn {
namespace {

struct PolicyTerm {
  double loss = 0;
  double push = 0;  // - d loss / d log density
};

PolicyTerm policy_term(const dense::LossPlan& plan, int row, double log_density, double error) {
  if (plan.log_chances == nullptr) return {-log_density * error, error};
  const double advantage = plan.advantages[row];
  const double ratio = std::exp(log_density - static_cast<double>(plan.log_chances[row]));
  const double clip = plan.ratio_clip;
  const double bounded = std::clamp(ratio, 1 - clip, 1 + clip) * advantage;
  const double free = ratio * advantage;
  return {-std::min(free, bounded), free <= bounded ? free : 0};
}

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
    for (int i = 0; i < each; ++i) {
      const double deviation = gaussian_deviation(output(each + i));
      log_density += gaussian_log_density(numbers[i], output(i), deviation);
      entropy += std::log(deviation) + 0.5 * std::log(2 * std::numbers::pi) + 0.5;
    }
    const auto term = policy_term(plan, row, log_density, error);
    for (int i = 0; i < each; ++i, ++numbers) {
      const double deviation = gaussian_deviation(output(each + i));
      const double z = (static_cast<double>(*numbers) - static_cast<double>(output(i))) / deviation;
      put(i, -term.push * z / deviation);
      put(each + i, -term.push * (z * z - 1) - static_cast<double>(plan.entropy));
    }
    const double value = plan.value;
    put(heads.actions, -2 * value * error);
    sums.policy += term.loss;
    sums.value += value * error * error;
    sums.entropy += entropy;
  }
  return sums;
}

}  // namespace hone::nn
