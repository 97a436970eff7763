#include "worker/trainers/ga3c/loss.hpp"

#include <algorithm>
#include <cmath>

namespace hone::ga3c {

void softmax(std::span<const float> logits, std::span<float> out) {
  const float top = *std::max_element(logits.begin(), logits.end());
  float sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) sum += out[i] = std::exp(logits[i] - top);
  for (auto& p : out) p /= sum;
}

LossTerms sample_loss(const Outputs& outputs, const Sample& sample, const LossWeights& weights,
                      std::span<float> gradient, double scale) {
  const auto pi = outputs.probabilities;
  // A probability that underflowed to zero must not make the loss infinite.
  const double floor = std::max(weights.log_floor, 1e-38);
  const auto log_of = [&](double p) { return std::log(std::max(p, floor)); };
  const auto slope = [&](double p) {
    return p >= floor ? 1.0 : 0.0;
  };  // d log(max(p, floor)) / d log p

  LossTerms terms;
  double pull = 0;  // sum over k of pi_k * (log pi_k + slope_k)
  for (const float p : pi) {
    terms.entropy -= p * log_of(p);
    pull += p * (log_of(p) + slope(p));
  }
  const auto chosen = static_cast<std::size_t>(sample.action);
  const double error = sample.target - outputs.value;
  terms.policy = -log_of(pi[chosen]) * sample.advantage;
  terms.value = weights.value * error * error;

  const double push = sample.advantage * slope(pi[chosen]);
  for (std::size_t j = 0; j < pi.size(); ++j) {
    const double p = pi[j];
    const double policy = push * (p - (j == chosen ? 1.0 : 0.0));
    const double entropy = weights.entropy * p * (log_of(p) + slope(p) - pull);
    gradient[j] = static_cast<float>(scale * (policy + entropy));
  }
  gradient[pi.size()] = static_cast<float>(scale * -2.0 * weights.value * error);
  return terms;
}

}  // namespace hone::ga3c
