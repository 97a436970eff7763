// How certain the order of the leaderboard is, for trials of several seeds (docs/leaderboard.md).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schemas/codec/json.hpp"
#include "server/api/past.hpp"
#include "server/search/statistics/intervals.hpp"

namespace hone::api {

// An interval of merits as [low, high] of the objective. No time is below zero.
Json interval_json(Interval merits, const SweepSpec& spec);

// The interval of seeds' merits, those below the bar of a time as minus infinity: a time with such
// a seed has none.
std::optional<Interval> interval_of_seeds(const Strata& merits, const SweepSpec& spec,
                                          Aggregate aggregate, const PooledSpread& pooled);

// Trials are named by their index in the history. Of a trial that does not rank, and of one with a
// seed that has not reached its bar, nothing is known. Keeps references to its arguments.
class Certainty {
 public:
  Certainty(const Past& past, const SweepSpec& spec);

  // All trials that rank by tuning, best first.
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
  // The place in order(); nullopt if the trial does not rank.
  [[nodiscard]] std::optional<std::size_t> place_of(std::size_t trial) const;
  // Merits of the seeds behind the value, minus infinity below the bar of a time. Precondition: the
  // trial ranks.
  [[nodiscard]] const std::vector<double>& values_of(std::size_t trial) const;
  [[nodiscard]] std::optional<Interval> interval_of(std::size_t trial) const;
  // The merit that another training would be expected to have, within the interval.
  [[nodiscard]] std::optional<double> expected_of(std::size_t trial) const;
  // The ranks that the first `count` of order() may have. Empty if a seed of any has no value.
  [[nodiscard]] std::vector<Interval> ranges(std::size_t count) const;

 private:
  const Past& past_;
  const SweepSpec& spec_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<double>> values_;      // by place
  std::vector<std::optional<double>> expected_;  // by trial
  PooledSpread pooled_;
};

}  // namespace hone::api
