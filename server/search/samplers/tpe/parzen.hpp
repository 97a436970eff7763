// The Parzen estimator of TPE (Bergstra et al., 2011): a mixture of one kernel for each trial and
// one for the prior.
//
//   p(x) = sum_k w_k prod_j K_j(x_j | m_kj)    the product over the dimensions active in x
//
//   real, grid  K_j(x | m) = phi((x - m) / s_j) / (s_j (Phi((1 - m) / s_j) - Phi(-m / s_j))), the
//               normal distribution cut off at [0, 1]; a grid value is judged by the middle of its
//               cell, and s_j is at least half a cell
//   choice      K_j(x | m) = (1 - b_j) [x = m] + b_j prior_j(x)  (Aitchison and Aitken, 1976)
//   inactive    K_j(x | inactive) = prior_j(x): a trial without the parameter is no evidence about
//               it. So one mixture covers a whole conditional tree
//
// The prior's kernel is prior_j in every dimension. Bandwidths of n kernels in d dimensions:
//   s_j = h r_j n_j^(-1 / (d + 4)), b_j = 0.3 n_j^(-1 / 5)    n_j trials have the dimension
// r_j = 1, or with `adaptive` the trials' own spread in units of the prior's (Scott, 1992), for
// which the prior counts as prior_weight trials: kernels narrow as good trials gather.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

inline constexpr double log_sqrt_two_pi = 0.91893853320467274178;
inline constexpr double uniform_variance = 1.0 / 12;  // of a uniform distribution on [0, 1]

struct ParzenOptions {
  double bandwidth = 0.2;
  double min_bandwidth = 0.01;
  double prior_weight = 1;
  bool adaptive = false;
  bool only_draws = false;  // skips the normalizers, which only log_density needs
};

class ParzenEstimator {
 public:
  // One weight for each point. Precondition: points have a coordinate for every dimension.
  ParzenEstimator(const SearchSpace& space, std::span<const std::span<const double>> points,
                  std::span<const double> weights, const ParzenOptions& options);

  // The log of the multivariate density above. Precondition of both: made without only_draws.
  [[nodiscard]] double log_density(std::span<const double> point) const;
  // The log of the density of a single coordinate, sum_k w_k K_j(x | m_kj).
  [[nodiscard]] double log_density(std::size_t dimension, double coordinate) const;
  // Draws a point, which is not settled: from one kernel, or, if not `multivariate`, from another
  // kernel for each dimension.
  void draw(Rng& rng, bool multivariate, std::span<double> point) const;

  [[nodiscard]] std::span<const double> bandwidths() const { return bandwidths_; }

 private:
  [[nodiscard]] double bandwidth(std::size_t dimension, const ParzenOptions& options) const;
  [[nodiscard]] double log_mass(std::size_t dimension, double middle) const;
  void add_terms(std::size_t dimension, double coordinate, std::span<double> terms) const;
  [[nodiscard]] double draw_coordinate(Rng& rng, std::size_t dimension, std::size_t kernel) const;
  [[nodiscard]] std::size_t draw_kernel(Rng& rng) const;

  const SearchSpace& space_;
  std::size_t kernels_;             // the last is the prior's
  std::vector<double> middles_;     // column-major: kernels_ of the first dimension, ...
  std::vector<double> masses_;      // column-major: log(s (Phi - Phi) sqrt(2 pi)); 0 if inactive
  std::vector<double> bandwidths_;  // s_j, or b_j of a choice
  std::vector<double> weights_;     // they sum to 1
  std::vector<double> log_weights_;
  std::vector<double> joint_;  // log_weights_ minus masses_ of all dimensions
};

}  // namespace hone
