#include "worker/train/episodic/policy_net.hpp"

#include <algorithm>
#include <cmath>

namespace hone::trainers::episodic {

// Weights and biases uniform within 1 / sqrt(inputs of the unit).
PolicyNet::PolicyNet(const PolicyShape& shape, placement::RandomGenerator& generator)
    : inputs_(static_cast<std::size_t>(shape.inputs)),
      hidden_(static_cast<std::size_t>(shape.hidden)),
      actions_(static_cast<std::size_t>(shape.actions)),
      activity_(hidden_),
      probabilities_(actions_) {
  const double low = 1 / std::sqrt(static_cast<double>(inputs_));
  const double high = 1 / std::sqrt(static_cast<double>(hidden_));
  for (std::size_t i = 0; i < hidden_ * (inputs_ + 1); ++i)
    weights_.push_back(low * (2 * generator.uniform() - 1));
  for (std::size_t i = 0; i < actions_ * (hidden_ + 1); ++i)
    weights_.push_back(high * (2 * generator.uniform() - 1));
}

std::span<const double> PolicyNet::forward(const Observation& observation) {
  observation_ = observation;
  for (std::size_t unit = 0; unit < hidden_; ++unit) {
    const double* w = &weights_[hidden_row(unit)];
    double sum = w[inputs_];
    for (std::size_t i = 0; i < inputs_; ++i) sum += w[i] * observation[i];
    activity_[unit] = std::max(0.0, sum);
  }
  for (std::size_t action = 0; action < actions_; ++action) {
    const double* w = &weights_[action_row(action)];
    double sum = w[hidden_];
    for (std::size_t unit = 0; unit < hidden_; ++unit) sum += w[unit] * activity_[unit];
    probabilities_[action] = sum;
  }
  const double most = *std::max_element(probabilities_.begin(), probabilities_.end());
  double sum = 0;
  for (double& p : probabilities_) sum += p = std::exp(p - most);
  for (double& p : probabilities_) p /= sum;
  return probabilities_;
}

void PolicyNet::add_gradient(int action, double weight, std::vector<double>& gradient) const {
  std::vector<double> back(hidden_, 0);
  for (std::size_t a = 0; a < actions_; ++a) {
    const double push = weight * ((static_cast<int>(a) == action ? 1 : 0) - probabilities_[a]);
    const double* w = &weights_[action_row(a)];
    double* g = &gradient[action_row(a)];
    for (std::size_t unit = 0; unit < hidden_; ++unit) {
      g[unit] += push * activity_[unit];
      back[unit] += push * w[unit];
    }
    g[hidden_] += push;
  }
  for (std::size_t unit = 0; unit < hidden_; ++unit) {
    if (activity_[unit] <= 0) continue;
    double* g = &gradient[hidden_row(unit)];
    for (std::size_t i = 0; i < inputs_; ++i) g[i] += back[unit] * observation_[i];
    g[inputs_] += back[unit];
  }
}

}  // namespace hone::trainers::episodic
