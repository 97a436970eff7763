// The loss of ga3c in double precision, written as its definition: the reference for the kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "worker/train/actor_critic/learning/loss.hpp"

namespace hone::ac {

// The logits of one state, then its value.
using RowOutputs = std::vector<double>;

struct Sample {
  std::int32_t action = 0;
  double target = 0;
};

inline std::vector<double> reference_softmax(const RowOutputs& row) {
  const double top = *std::max_element(row.begin(), row.end() - 1);
  std::vector<double> p;
  for (auto logit = row.begin(); logit != row.end() - 1; ++logit)
    p.push_back(std::exp(*logit - top));
  double sum = 0;
  for (const double weight : p) sum += weight;
  for (double& weight : p) weight /= sum;
  return p;
}

// `advantage` is a constant in the definition: R - V at the outputs of the gradient.
inline LossTerms reference_loss(const RowOutputs& row, const Sample& sample, double advantage,
                                const LossWeights& weights) {
  const auto pi = reference_softmax(row);
  const auto log_of = [&](double p) {
    return std::log(std::max(p, std::max(weights.log_floor, 1e-38)));
  };
  LossTerms terms;
  for (const double p : pi) terms.entropy -= p * log_of(p);
  const double error = sample.target - row.back();
  terms.policy = -log_of(pi[static_cast<std::size_t>(sample.action)]) * advantage;
  terms.value = weights.value * error * error;
  return terms;
}

inline double reference_total(const RowOutputs& row, const Sample& sample, double advantage,
                              const LossWeights& weights) {
  const auto terms = reference_loss(row, sample, advantage, weights);
  return terms.policy + terms.value - weights.entropy * terms.entropy;
}

// By central differences.
inline std::vector<double> reference_gradient(const RowOutputs& row, const Sample& sample,
                                              const LossWeights& weights) {
  const double advantage = sample.target - row.back();
  constexpr double nudge = 1e-5;
  std::vector<double> gradient;
  for (std::size_t i = 0; i < row.size(); ++i) {
    auto up = row;
    auto down = row;
    up[i] += nudge;
    down[i] -= nudge;
    gradient.push_back((reference_total(up, sample, advantage, weights) -
                        reference_total(down, sample, advantage, weights)) /
                       (2 * nudge));
  }
  return gradient;
}

}  // namespace hone::ac
