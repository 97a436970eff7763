// Which losses of a learner are outliers: those that exceed their running mean by more than so many
// standard deviations (Nair et al., 2015). A jump that lasts becomes the mean. Used by one thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hone::q {

class LossFilter {
 public:
  // Losses of which the running mean is made: the first ones are never outliers.
  static constexpr std::int64_t window = 100;

  // deviations: 0 takes no loss for an outlier.
  explicit LossFilter(double deviations) : deviations_(deviations) {}

  // Whether the absolute loss is not an outlier among those before it. Counts it in either case.
  // Precondition: it is finite.
  bool admits(double loss) {
    const double size = std::abs(loss);
    const auto& [count, mean, variance] = state_;
    const bool outlier =
        deviations_ > 0 && count >= window && size > mean + deviations_ * std::sqrt(variance);
    const double share = 1.0 / static_cast<double>(std::min(count + 1, window));
    const double step = size - mean;
    state_ = {count + 1, mean + share * step, (1 - share) * (variance + share * step * step)};
    return !outlier;
  }

  struct State {
    std::int64_t count = 0;
    double mean = 0;
    double variance = 0;
  };
  [[nodiscard]] const State& state() const { return state_; }
  // Returns false for numbers that no losses have.
  bool restore(const State& state) {
    if (state.count < 0 || !(state.mean >= 0) || !(state.variance >= 0)) return false;
    if (!std::isfinite(state.mean) || !std::isfinite(state.variance)) return false;
    state_ = state;
    return true;
  }

 private:
  double deviations_;
  State state_;
};

}  // namespace hone::q
