// The state of CMA-ES (N. Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv 1604.00772;
// numbers in parentheses are its equations), with a Cholesky factor in place of the symmetric root
// (Krause, Arbones and Igel, NIPS 2016) and without negative weights.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/rng.hpp"

namespace hone {

class CmaesState {
 public:
  // An isotropic distribution.
  CmaesState(std::vector<double> mean, double sigma);
  // Fits a distribution to the best points of earlier sweeps (Nomura et al., "Warm Starting
  // CMA-ES", AAAI 2021, alpha = 0.1).
  static CmaesState fitted(std::span<const std::vector<double>> best);

  // Adds the evaluated points of one generation, best first. NaN marks an inactive coordinate,
  // which is no evidence.
  void update(std::span<const std::vector<double>> points);
  // Returns whether the distribution is narrower than any difference that matters.
  [[nodiscard]] bool converged() const;

  [[nodiscard]] std::vector<double> draw(Rng& rng) const;
  [[nodiscard]] const std::vector<double>& mean() const { return mean_; }
  [[nodiscard]] double deviation(std::size_t i) const;

 private:
  struct Weights {
    std::vector<double> w;
    double effective = 0;  // mu_eff
  };
  static Weights weights_of(std::size_t count);
  [[nodiscard]] std::vector<double> step_to(const std::vector<double>& point) const;
  [[nodiscard]] std::vector<double> whitened(const std::vector<double>& step) const;
  [[nodiscard]] std::vector<double> mean_step(std::span<const std::vector<double>> steps,
                                              const Weights& weights) const;
  void adapt(std::span<const std::vector<double>> steps, const Weights& weights, double c1,
             double c_mu, double stall);
  void factorize();

  std::size_t size_;
  std::vector<double> mean_, path_sigma_, path_c_;
  std::vector<double> c_, factor_;  // row-major, of size_ * size_; factor_ lower triangular
  double sigma_;
  double generations_ = 0;
};

}  // namespace hone
