// The arithmetic of CMA-ES (N. Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv 1604.00772,
// its equations by number), with a Cholesky factor in place of the symmetric root (Krause, Arbones
// and Igel, NIPS 2016) and without negative weights.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/rng.hpp"

namespace hone {

class CmaesState {
 public:
  // A round distribution.
  CmaesState(std::vector<double> mean, double sigma);
  // One fitted to the best points of earlier sweeps (Nomura et al., AAAI 2021, "Warm Starting
  // CMA-ES", alpha = 0.1).
  static CmaesState fitted(std::span<const std::vector<double>> best);

  // One generation's evaluated points, best first; NaN where a coordinate was inactive, which says
  // nothing. `size` is the generation's nominal one.
  void update(std::span<const std::vector<double>> points);
  // The distribution has shrunk below what the objective could tell apart.
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
