#include "worker/train/placement/policy.hpp"

#include <algorithm>
#include <cmath>

namespace hone::trainers {

SoftmaxPolicy::SoftmaxPolicy(int groups, int devices)
    : groups_(groups),
      devices_(devices),
      logits_(static_cast<std::size_t>(groups) * static_cast<std::size_t>(devices), 0) {
  refresh();
}

void SoftmaxPolicy::lean(const placement::Placement& placement, double bias) {
  for (int g = 0; g < groups_; ++g)
    logits_[row(g) + static_cast<std::size_t>(placement[static_cast<std::size_t>(g)])] += bias;
  refresh();
}

void SoftmaxPolicy::bar(const placement::Problem& problem) {
  for (std::size_t i = 0; i < logits_.size(); ++i)
    if (problem.may_run[i] == 0) logits_[i] = barred_logit;
  refresh();
}

void SoftmaxPolicy::refresh() {
  probabilities_.resize(logits_.size());
  for (int g = 0; g < groups_; ++g) {
    const std::size_t begin = row(g);
    const std::size_t end = row(g + 1);
    double most = logits_[begin];
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, logits_[i]);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      sum += probabilities_[i] = std::exp(logits_[i] - most);
    for (std::size_t i = begin; i < end; ++i) probabilities_[i] /= sum;
  }
}

placement::Placement SoftmaxPolicy::sample(placement::RandomGenerator& generator) const {
  placement::Placement placement(static_cast<std::size_t>(groups_));
  for (int g = 0; g < groups_; ++g) {
    double left = generator.uniform();
    int device = 0;
    while (device + 1 < devices_ &&
           left >= probabilities_[row(g) + static_cast<std::size_t>(device)])
      left -= probabilities_[row(g) + static_cast<std::size_t>(device++)];
    placement[static_cast<std::size_t>(g)] = device;
  }
  return placement;
}

placement::Placement SoftmaxPolicy::greedy() const {
  placement::Placement placement;
  for (int g = 0; g < groups_; ++g) {
    const auto begin = logits_.begin() + static_cast<std::ptrdiff_t>(row(g));
    placement.push_back(static_cast<int>(std::max_element(begin, begin + devices_) - begin));
  }
  return placement;
}

double SoftmaxPolicy::log_probability(const placement::Placement& placement) const {
  double sum = 0;
  for (int g = 0; g < groups_; ++g)
    sum += std::log(
        probabilities_[row(g) + static_cast<std::size_t>(placement[static_cast<std::size_t>(g)])]);
  return sum;
}

double SoftmaxPolicy::entropy() const {
  if (devices_ < 2 || groups_ == 0) return 0;
  double sum = 0;
  for (const double p : probabilities_)
    if (p > 0) sum -= p * std::log(p);
  return sum / groups_ / std::log(devices_);
}

double ppo_objective(const PpoTerms& terms, const SoftmaxPolicy& policy) {
  const auto count = static_cast<double>(terms.placements.size());
  double sum = 0;
  for (std::size_t n = 0; n < terms.placements.size(); ++n)
    for (int g = 0; g < policy.groups(); ++g) {
      const auto i = policy.row(g) +
                     static_cast<std::size_t>(terms.placements[n][static_cast<std::size_t>(g)]);
      sum += policy.probabilities()[i] / terms.old.probabilities()[i] * terms.advantages[n] / count;
    }
  return sum - terms.beta * mean_kl(terms.old, policy) * policy.groups();
}

std::vector<double> ppo_gradient(const PpoTerms& terms, const SoftmaxPolicy& policy) {
  const auto devices = static_cast<std::size_t>(policy.devices());
  const auto& f = policy.probabilities();
  const auto& f_old = terms.old.probabilities();
  std::vector<double> gradient(f.size(), 0);
  for (std::size_t i = 0; i < f.size(); ++i) gradient[i] = -terms.beta * (f[i] - f_old[i]);
  for (std::size_t n = 0; n < terms.placements.size(); ++n) {
    const double weight = terms.advantages[n] / static_cast<double>(terms.placements.size());
    for (int g = 0; g < policy.groups(); ++g) {
      const std::size_t begin = policy.row(g);
      const auto chosen =
          begin + static_cast<std::size_t>(terms.placements[n][static_cast<std::size_t>(g)]);
      const double push = weight * f[chosen] / f_old[chosen];
      gradient[chosen] += push;
      for (std::size_t i = begin; i < begin + devices; ++i) gradient[i] -= push * f[i];
    }
  }
  return gradient;
}

double mean_kl(const SoftmaxPolicy& old, const SoftmaxPolicy& policy) {
  double sum = 0;
  for (std::size_t i = 0; i < old.probabilities().size(); ++i) {
    const double p = old.probabilities()[i];
    if (p > 0) sum += p * std::log(p / std::max(policy.probabilities()[i], 1e-300));
  }
  return policy.groups() == 0 ? 0 : sum / policy.groups();
}

std::vector<double> log_probability_gradient(const std::vector<placement::Placement>& placements,
                                             const std::vector<double>& weights,
                                             const SoftmaxPolicy& policy) {
  const auto& f = policy.probabilities();
  std::vector<double> gradient(f.size(), 0);
  for (std::size_t n = 0; n < placements.size(); ++n)
    for (int g = 0; g < policy.groups(); ++g) {
      const std::size_t begin = policy.row(g);
      gradient[begin + static_cast<std::size_t>(placements[n][static_cast<std::size_t>(g)])] +=
          weights[n];
      for (std::size_t i = begin; i < policy.row(g + 1); ++i) gradient[i] -= weights[n] * f[i];
    }
  return gradient;
}

}  // namespace hone::trainers
