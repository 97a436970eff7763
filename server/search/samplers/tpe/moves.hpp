// Makes new points out of known ones: candidates for TPE's surrogate.
#pragma once

#include <span>

#include "server/search/samplers/tpe/focus.hpp"
#include "server/search/samplers/tpe/parzen.hpp"

namespace hone {

class Moves {
 public:
  // Steps are measured in bandwidths of `good`. Keeps references to all arguments.
  Moves(const SearchSpace& space, const ParzenEstimator& good, const Focus& focus, Rng& rng)
      : space_(space), good_(good), focus_(focus), rng_(rng) {}

  // Each writes a settled point into `to`, in the branch of the focus.
  void from_good(std::span<double> to);
  void uniform(std::span<double> to);
  // Changes about four coordinates: a normal step of `scale` times ten bandwidths, or a new choice.
  void step(std::span<const double> from, double scale, std::span<double> to);
  // Differential evolution (Storn and Price, 1997): from + F (a - b); choices from a or from
  // `from`.
  void shift(std::span<const double> from, std::span<const double> a, std::span<const double> b,
             std::span<double> to);

 private:
  void step_coordinate(std::size_t dimension, double scale, double& x);
  void finish(std::span<double> to);

  const SearchSpace& space_;
  const ParzenEstimator& good_;
  const Focus& focus_;
  Rng& rng_;
};

}  // namespace hone
