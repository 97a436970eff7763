#include "worker/train/episodic/policy_net.hpp"

#include <algorithm>
#include <cmath>

namespace hone::trainers::episodic {

// Weights and biases uniform within 1 / sqrt(inputs of the unit).
PolicyNet::PolicyNet(int hidden, placement::RandomGenerator& generator)
    : hidden_(static_cast<std::size_t>(hidden)), activity_(hidden_) {
  const double low = 1 / std::sqrt(static_cast<double>(inputs));
  const double high = 1 / std::sqrt(static_cast<double>(hidden_));
  for (std::size_t i = 0; i < hidden_ * (inputs + 1); ++i)
    weights_.push_back(low * (2 * generator.uniform() - 1));
  for (std::size_t i = 0; i < actions * (hidden_ + 1); ++i)
    weights_.push_back(high * (2 * generator.uniform() - 1));
}

std::array<double, actions> PolicyNet::forward(const Observation& observation) {
  observation_ = observation;
  for (std::size_t unit = 0; unit < hidden_; ++unit) {
    const double* w = &weights_[hidden_row(unit)];
    double sum = w[inputs];
    for (std::size_t i = 0; i < inputs; ++i) sum += w[i] * observation[i];
    activity_[unit] = std::max(0.0, sum);
  }
  for (std::size_t action = 0; action < actions; ++action) {
    const double* w = &weights_[action_row(action)];
    double sum = w[hidden_];
    for (std::size_t unit = 0; unit < hidden_; ++unit) sum += w[unit] * activity_[unit];
    probabilities_[action] = sum;
  }
  const double most = std::max(probabilities_[0], probabilities_[1]);
  double sum = 0;
  for (double& p : probabilities_) sum += p = std::exp(p - most);
  for (double& p : probabilities_) p /= sum;
  return probabilities_;
}

void PolicyNet::add_gradient(int action, double weight, std::vector<double>& gradient) const {
  std::array<double, actions> push{};
  for (std::size_t a = 0; a < actions; ++a)
    push[a] = weight * ((static_cast<int>(a) == action ? 1 : 0) - probabilities_[a]);
  for (std::size_t a = 0; a < actions; ++a) {
    double* g = &gradient[action_row(a)];
    for (std::size_t unit = 0; unit < hidden_; ++unit) g[unit] += push[a] * activity_[unit];
    g[hidden_] += push[a];
  }
  const double* first = &weights_[action_row(0)];
  const double* second = &weights_[action_row(1)];
  for (std::size_t unit = 0; unit < hidden_; ++unit) {
    if (activity_[unit] <= 0) continue;
    const double back = push[0] * first[unit] + push[1] * second[unit];
    double* g = &gradient[hidden_row(unit)];
    for (std::size_t i = 0; i < inputs; ++i) g[i] += back * observation_[i];
    g[inputs] += back;
  }
}

}  // namespace hone::trainers::episodic
