// Intervals of values of few seeds. A percentile bootstrap of two or three values covers the truth
// in half to two thirds of the cases, and a t-interval misses it where the values happen to be
// alike. These are t-intervals whose variance is moderated by that of the other trials (Smyth,
// 2004), as if it had been seen in a quarter of a value more for each of them, at most in four: few
// trials say little about the noise of another one. docs/measurements/intervals.md has their
// coverage.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schemas/types/replicates_spec.hpp"
#include "server/search/statistics/bootstrap.hpp"

namespace hone {

// A trial's variance of one value, and its degrees of freedom.
struct Spread {
  double variance = 0;
  double degrees = 0;
};

// An extreme of values, and how many have exactly it.
struct Extreme {
  double value = 0;
  double count = 0;
};

// The variance of a value within a trial, over all trials with at least two values on an instance,
// and the bounds of all values.
class PooledSpread {
 public:
  // Nothing if a value is not finite.
  void add(const Strata& strata);
  // Of the trials but one, whose values were added if they are finite. `degrees`: as how many
  // values it counts; 0 without another trial.
  [[nodiscard]] Spread without(const Strata& strata) const;
  // The interval within the bounds that the values show: an extreme which several have exactly, as
  // the return of an episode of 500 steps.
  [[nodiscard]] Interval bounded(Interval interval) const;

 private:
  double squares_ = 0, degrees_ = 0, trials_ = 0, values_ = 0;
  Extreme least_, most_;
};

// nullopt if neither the trial nor the others have two values. Runs that failed count as its lowest
// finite value.
std::optional<Spread> spread_of(const Strata& strata, const PooledSpread& pooled);

// The interval that covers the aggregate of infinitely many seeds in a share of 0.95 of all cases.
// nullopt if the aggregate is not finite, or if no spread is known.
std::optional<Interval> seed_interval(const Strata& strata, Aggregate aggregate,
                                      const PooledSpread& pooled);

// The ranks that each trial may have: 1 + the number of trials that are significantly better, to
// the number of those that are not significantly worse (two-sided t-tests at 5 %). `trials` are all
// that rank, best first, so that no range depends on how many are shown. Empty if no spread is
// known. Returns the first `count`. Precondition: the values are finite.
std::vector<Interval> rank_ranges(std::span<const std::vector<double>> trials, Aggregate aggregate,
                                  std::size_t count);

}  // namespace hone
