// A categorical distribution over the devices for each group, independent of the others (Post,
// 2018).
#pragma once

#include <vector>

#include "placement/core/dice.hpp"
#include "placement/core/problem.hpp"

namespace hone::trainers {

class SoftmaxPolicy {
 public:
  SoftmaxPolicy() = default;
  SoftmaxPolicy(int groups, int devices);

  [[nodiscard]] int groups() const { return groups_; }
  [[nodiscard]] int devices() const { return devices_; }

  void lean(const placement::Placement& placement, double bias);
  // A device that a group may not run on gets no probability.
  void bar(const placement::Problem& problem);

  [[nodiscard]] placement::Placement sample(placement::Dice& dice) const;
  [[nodiscard]] placement::Placement greedy() const;
  [[nodiscard]] double log_probability(const placement::Placement& placement) const;
  [[nodiscard]] double entropy() const;

  // Call after the logits were changed.
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
// and its gradient by the logits.
struct PpoTerms {
  const std::vector<placement::Placement>& placements;
  const std::vector<double>& advantages;
  const SoftmaxPolicy& old;
  double beta = 1;
};
double ppo_objective(const PpoTerms& terms, const SoftmaxPolicy& policy);
std::vector<double> ppo_gradient(const PpoTerms& terms, const SoftmaxPolicy& policy);

// Of the old policy from the new one, mean over the groups.
double mean_kl(const SoftmaxPolicy& old, const SoftmaxPolicy& policy);

// By the logits: sum over the placements of weight * log probability.
std::vector<double> log_probability_gradient(const std::vector<placement::Placement>& placements,
                                             const std::vector<double>& weights,
                                             const SoftmaxPolicy& policy);

}  // namespace hone::trainers
