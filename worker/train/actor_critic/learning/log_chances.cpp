#include "worker/train/actor_critic/learning/log_chances.hpp"

#include "worker/train/nn/gaussian.hpp"

namespace hone::ac {

void note_log_chances(const nn::NetShape& shape, const dense::Heads& outputs,
                      const std::int32_t* actions, const float* numbers, float* out) {
  const int each = shape.deviations();
  if (each == 0) return dense::best_kernels().log_chosen(outputs, actions, out);
  for (int row = 0; row < outputs.rows; ++row) {
    const auto at = [&](int output) { return outputs.data[output * outputs.stride + row]; };
    double sum = 0;
    for (int d = 0; d < each; ++d, ++numbers)
      sum += nn::gaussian_log_density(static_cast<double>(*numbers), static_cast<double>(at(d)),
                                      nn::gaussian_deviation(at(each + d)));
    out[row] = static_cast<float>(sum);
  }
}

}  // namespace hone::ac
