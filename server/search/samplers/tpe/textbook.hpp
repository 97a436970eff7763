// `variant: textbook`: TPE as Bergstra, Bardenet, Bengio and Kegl published it ("Algorithms for
// Hyper-Parameter Optimization", NIPS 2011, section 4), and as their program hyperopt does it where
// the paper is silent (marked h).
//
//   start    the first `startup` trials are draws from the prior (h: 20)
//   split    l is made of the best ceil(gamma n) trials, g of all others; gamma = 0.15
//   density  each parameter by itself, from the trials that have it:
//     number   the equally weighted mixture of the prior, uniform on [0, 1], and of one normal
//              distribution for each trial. Its deviation is the greater of the distances to its
//              two neighbours, where 0 and 1 are neighbours too, clipped to
//              [1 / min(100, n + 1), 1] (h); the mixture is cut off at [0, 1] and scaled back to 1
//              as a whole (h)
//     grid     of such a density the integral over the cell of the value (h)
//     choice   of N values: proportional to N p_i + C_i for the prior p and C_i trials of value i
//   proposal the draw from l, of `candidates` (h: 24), with the greatest l(x) / g(x): the product
//            over the parameters that are active in x
// Pending trials are ignored: the draws make proposals differ. It may
// propose a point again. What the paper does not know: trials that were stopped early rank below
// finished ones, failed ones last; draws that violate a constraint are no candidates.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "schemas/types/search_spec.hpp"
#include "server/search/samplers/sampler.hpp"

namespace hone {

// The density of one parameter among some trials.
class TextbookDensity {
 public:
  // `coordinates` are those of the trials that have the parameter.
  TextbookDensity(const Dimension& dimension, std::vector<double> coordinates);

  // Of a real parameter the density at `x`, of a choice the probability of value `x`.
  [[nodiscard]] double at(double x) const;
  // The probability of a cell of a grid.
  [[nodiscard]] double within(const Cell& cell) const;
  [[nodiscard]] double draw(Rng& rng) const;
  // Of the kernels, by their middles; none of a choice.
  [[nodiscard]] const std::vector<double>& deviations() const { return deviations_; }

 private:
  const Dimension& dimension_;
  std::vector<double> middles_;  // ascending
  std::vector<double> deviations_;
  std::vector<double> shares_;  // of a choice: the probability of each value
  double mass_ = 1;             // within [0, 1] of the prior and all kernels, each of mass 1
};

// Refuses the settings of our own variant, which this one does not have.
Result<std::unique_ptr<Sampler>> make_textbook_tpe(const SearchSpec& search);

}  // namespace hone
