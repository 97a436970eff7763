// TPE proper: splits trials into good and bad ones, estimates both densities, and proposes the draw
// with the best ratio.
#pragma once

#include <optional>

#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/tpe/cost.hpp"
#include "server/search/samplers/tpe/focus.hpp"
#include "server/search/samplers/tpe/parzen.hpp"

namespace hone {

class TpeSplit {
 public:
  // Good are the first ceil(gamma n), at least 1, at most good_max and fewer than all.
  TpeSplit(const SearchSpace& space, const Evidence& evidence, const TpeSettings& settings);

  [[nodiscard]] std::size_t good_count() const { return good_count_; }
  [[nodiscard]] ParzenEstimator good(bool only_draws) const;
  // At most bad_max kernels, evenly by rank, each with the weight of the trials that it represents.
  [[nodiscard]] ParzenEstimator bad() const;
  // The density of pending trials; nullopt if there are none or `liar` is off. As narrow as good():
  // wide kernels would not keep a narrow l from proposing the same point again.
  [[nodiscard]] std::optional<ParzenEstimator> lies() const;
  // The share of the lies in the bad density, by number of trials.
  [[nodiscard]] double lies_share() const;
  // Returns whether the point repeats one of the best trials or a pending one.
  [[nodiscard]] bool known(std::span<const double> point) const;

 private:
  [[nodiscard]] std::span<const std::uint32_t> believed() const;  // the pending trials of lies()

  const SearchSpace& space_;
  const Evidence& evidence_;
  const TpeSettings& settings_;
  std::size_t good_count_;
};

// The densities l and g, and their ratio.
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

// Returns the feasible new draw from l, in the focus, with the greatest ratio, less its cost;
// nullopt if there is none. Without `multivariate`, every coordinate is the best of its draws.
std::optional<Point> propose_by_ratio(const SearchSpace& space, const TpeSplit& split,
                                      const TpeSettings& settings, const Focus& focus,
                                      const CostTerm& cost, Rng& rng);

// Returns point `draw.number` of an additive recurrence with the generalized golden ratio (Roberts,
// 2018), shifted by the sweep's seed: it spreads more evenly than independent draws. If that point
// is infeasible, returns a draw from the prior.
Point start_point(const SearchSpace& space, const Draw& draw, Rng& rng);

}  // namespace hone
