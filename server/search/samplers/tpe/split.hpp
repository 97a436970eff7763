// TPE proper: good trials and bad ones, the densities of both, and the draw with the best ratio.
#pragma once

#include <optional>

#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/tpe/focus.hpp"
#include "server/search/samplers/tpe/parzen.hpp"

namespace hone {

class TpeSplit {
 public:
  // Good are the first ceil(gamma n), at least 1, at most good_max and fewer than all.
  TpeSplit(const SearchSpace& space, const Evidence& evidence, const TpeSettings& settings);

  [[nodiscard]] std::size_t good_count() const { return good_count_; }
  [[nodiscard]] ParzenEstimator good(bool only_draws) const;
  // At most bad_max kernels, evenly by rank, each with the weight of those it stands for.
  [[nodiscard]] ParzenEstimator bad() const;
  // Of pending trials; nullopt where there are none or `liar` is off. As narrow as good(): wide
  // kernels would not keep a narrow l from proposing the same point again.
  [[nodiscard]] std::optional<ParzenEstimator> lies() const;
  // How much of the bad density the lies are: by number of trials.
  [[nodiscard]] double lies_share() const;
  // Whether the point was tried among the good, or is pending.
  [[nodiscard]] bool known(std::span<const double> point) const;

 private:
  [[nodiscard]] std::span<const std::uint32_t> believed() const;  // the pending trials of lies()

  const SearchSpace& space_;
  const Evidence& evidence_;
  const TpeSettings& settings_;
  std::size_t good_count_;
};

// l, g and how they compare.
struct TpeDensities {
  explicit TpeDensities(const TpeSplit& split);
  // log l - log g, with g = (1 - lies_share) bad + lies_share lies.
  [[nodiscard]] double log_ratio(std::span<const double> point) const;
  [[nodiscard]] double log_ratio(std::size_t dimension, double coordinate) const;

  ParzenEstimator good;
  ParzenEstimator bad;
  std::optional<ParzenEstimator> lies;
  double lies_share;
};

// The draw from l, in the focus, with the greatest ratio that is feasible and new; nullopt where
// none is. Without `multivariate`, every coordinate is the best of its own draws.
std::optional<Point> propose_by_ratio(const SearchSpace& space, const TpeSplit& split,
                                      const TpeSettings& settings, const Focus& focus, Rng& rng);

// Point `draw.number` of an additive recurrence with the generalized golden ratio (Roberts, 2018),
// shifted by the sweep's seed: spreads more evenly than independent draws. A uniform draw where
// that point is infeasible.
Point start_point(const SearchSpace& space, const Draw& draw, Rng& rng);

}  // namespace hone
