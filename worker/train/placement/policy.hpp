// A categorical distribution over the devices for each group, independent of the other groups
// (Post, Gao et al., 2018).
#pragma once

#include <vector>

#include "placement/core/problem.hpp"
#include "placement/core/random_generator.hpp"

namespace hone::trainers {

// The logit of a device on which a group may not run.
inline constexpr double barred_logit = -1e9;

class SoftmaxPolicy {
 public:
  SoftmaxPolicy() = default;
  SoftmaxPolicy(int groups, int devices);

  [[nodiscard]] int groups() const { return groups_; }
  [[nodiscard]] int devices() const { return devices_; }

  void lean(const placement::Placement& placement, double bias);
  // A device on which a group may not run gets probability 0.
  void bar(const placement::Problem& problem);

  [[nodiscard]] placement::Placement sample(placement::RandomGenerator& generator) const;
  [[nodiscard]] placement::Placement greedy() const;
  [[nodiscard]] double log_probability(const placement::Placement& placement) const;
  [[nodiscard]] double entropy() const;

  // Call after changing the logits.
  void refresh();
  std::vector<double>& logits() { return logits_; }
  [[nodiscard]] const std::vector<double>& logits() const { return logits_; }
  [[nodiscard]] const std::vector<double>& probabilities() const { return probabilities_; }
  [[nodiscard]] std::size_t row(int group) const {
    return static_cast<std::size_t>(group) * static_cast<std::size_t>(devices_);
  }

 private:
  int groups_ = 0;
  int devices_ = 0;
  std::vector<double> logits_;
  std::vector<double> probabilities_;
};

// The PPO objective with a KL penalty (Schulman et al., 2017), a ratio for each group:
//   1/K sum_n sum_m f(d_m^n) / f_old(d_m^n) A_n - beta sum_m KL(f_old || f)
// and its gradient with respect to the logits.
struct PpoTerms {
  const std::vector<placement::Placement>& placements;
  const std::vector<double>& advantages;
  const SoftmaxPolicy& old;
  double beta = 1;
};
double ppo_objective(const PpoTerms& terms, const SoftmaxPolicy& policy);
std::vector<double> ppo_gradient(const PpoTerms& terms, const SoftmaxPolicy& policy);

// KL(old || new), mean over the groups.
double mean_kl(const SoftmaxPolicy& old, const SoftmaxPolicy& policy);

// The gradient with respect to the logits of the sum over placements of weight * log probability.
std::vector<double> log_probability_gradient(const std::vector<placement::Placement>& placements,
                                             const std::vector<double>& weights,
                                             const SoftmaxPolicy& policy);

}  // namespace hone::trainers
