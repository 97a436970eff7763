#include "server/search/statistics/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "schemas/types/aggregate.hpp"
#include "server/search/statistics/tests.hpp"

namespace hone {
namespace {

constexpr double share = 0.95;
constexpr double pooled_values = 2;  // how many values the variance of all trials counts as

// Squares around the mean of each stratum, and their degrees of freedom.
struct Squares {
  double sum = 0;
  double degrees = 0;
};

Squares squares_of(const Strata& strata) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& row : strata)
    for (const double value : row)
      if (std::isfinite(value)) least = std::min(least, value);
  Squares squares;
  for (std::vector<double> row : strata) {
    if (row.size() < 2 || !std::isfinite(least)) continue;
    for (double& value : row) value = std::isfinite(value) ? value : least;
    const auto degrees = static_cast<double>(row.size() - 1);
    squares.sum += variance_of(row) * degrees;
    squares.degrees += degrees;
  }
  return squares;
}

// The error of the median of a normal sample exceeds that of its mean.
double inflation(Aggregate aggregate, std::size_t count) {
  return aggregate == Aggregate::median && count > 2 ? std::sqrt(std::numbers::pi / 2) : 1;
}

}  // namespace

void PooledSpread::add(const Strata& strata) {
  for (const auto& row : strata)
    if (!all_finite(row)) return;  // a failure is no noise
  const Squares own = squares_of(strata);
  squares_ += own.sum;
  degrees_ += own.degrees;
}

std::optional<double> PooledSpread::variance() const {
  return degrees_ > 0 ? std::optional(squares_ / degrees_) : std::nullopt;
}

std::optional<Spread> spread_of(const Strata& strata, const PooledSpread& pooled) {
  const Squares own = squares_of(strata);
  const auto all = pooled.variance();
  if (!all)
    return own.degrees > 0 ? std::optional(Spread{own.sum / own.degrees, own.degrees})
                           : std::nullopt;
  const double degrees = pooled_values + own.degrees;
  return Spread{(pooled_values * *all + own.sum) / degrees, degrees};
}

std::optional<Interval> seed_interval(const Strata& strata, Aggregate aggregate,
                                      const PooledSpread& pooled) {
  const auto values = flattened(strata);
  if (values.size() < 2) return std::nullopt;
  const double center = aggregate_of(aggregate, values);
  const auto spread = spread_of(strata, pooled);
  if (!std::isfinite(center) || !spread) return std::nullopt;
  const double half = student_quantile((1 + share) / 2, spread->degrees) *
                      inflation(aggregate, values.size()) *
                      std::sqrt(spread->variance / static_cast<double>(values.size()));
  return Interval{center - half, center + half};
}

std::vector<Interval> rank_ranges(std::span<const std::vector<double>> trials, Aggregate aggregate,
                                  std::size_t count) {
  PooledSpread pooled;
  for (const auto& values : trials) pooled.add({values});
  std::vector<Spread> spreads;
  std::vector<double> merits;
  for (const auto& values : trials) {
    const auto spread = spread_of({values}, pooled);
    if (!spread) return {};
    spreads.push_back({spread->variance / static_cast<double>(values.size()), spread->degrees});
    merits.push_back(aggregate_of(aggregate, values));
  }
  std::map<double, double> quantiles;
  const auto bar = [&](double degrees) {
    const auto [known, fresh] = quantiles.try_emplace(degrees);
    if (fresh) known->second = student_quantile((1 + share) / 2, degrees);
    return known->second;
  };
  std::vector<Interval> ranges;
  for (std::size_t i = 0; i < std::min(count, trials.size()); ++i) {
    double better = 0, worse = 0;
    for (std::size_t k = 0; k < trials.size(); ++k) {
      const double ahead = merits[k] - merits[i];
      const double error = std::sqrt(spreads[i].variance + spreads[k].variance);
      const double least = bar(spreads[i].degrees + spreads[k].degrees) * error;
      better += ahead > least ? 1 : 0;
      worse += -ahead > least ? 1 : 0;
    }
    const auto rank = static_cast<double>(i + 1);
    ranges.push_back(
        {std::min(rank, 1 + better), std::max(rank, static_cast<double>(trials.size()) - worse)});
  }
  return ranges;
}

}  // namespace hone
