// The density that `bohb` fits: a kernel for each trial, the product over all dimensions, with the
// bandwidths of a normal reference rule (the estimator of statsmodels, which the authors use).
//
//   p(x) = 1 / n sum_i prod_j K_j(x_j | m_ij)
//   real, grid  K_j(x | m) = phi((x - m) / h_j) / h_j
//   choice      K_j(x | m) = 1 - h_j if x = m, else h_j / (c - 1) of c values
//               (Aitchison and Aitken, 1976)
//   h_j = max(1e-3, 1.06 sigma_j n^(-1 / (4 + d))), for a choice at most (c - 1) / c
//
// A trial without a parameter counts with a value of it that is drawn from the other trials, or
// from the prior where no trial has it.
#pragma once

#include <span>
#include <vector>

#include "base/rng.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

class BohbDensity {
 public:
  // Precondition: `points` is not empty. Keeps a reference to `space`.
  BohbDensity(const SearchSpace& space, std::vector<Point> points, Rng& rng);

  // A point without a value in a dimension has the factor 1 there.
  [[nodiscard]] double at(std::span<const double> point) const;
  // Draws from one kernel whose bandwidths are multiplied by `widen`, cut off at [0, 1].
  [[nodiscard]] Point draw(double widen, Rng& rng) const;
  [[nodiscard]] std::span<const double> bandwidths() const { return bandwidths_; }

 private:
  void fill_gaps(Rng& rng);
  [[nodiscard]] double bandwidth(std::size_t dimension) const;
  [[nodiscard]] double kernel(std::size_t dimension, double x, double middle) const;

  const SearchSpace& space_;
  std::vector<Point> points_;
  std::vector<double> bandwidths_;
};

}  // namespace hone
