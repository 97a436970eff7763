#include "server/search/statistics/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "schemas/types/aggregate.hpp"
#include "server/search/statistics/tests.hpp"

namespace hone {
namespace {

constexpr double covered_share = 0.95;
// As how many values the variance of the other trials counts: for each of them, and at most. Fitted
// to recorded runs (tests/bench/interval_coverage.py).
constexpr double values_per_trial = 0.25, values_most = 4;
// An extreme is a bound if so many values have exactly it, and this share of them.
constexpr double bound_values = 3, bound_share = 0.05;

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

bool is_finite(const Strata& strata) { return std::ranges::all_of(strata, all_finite); }

void note(Extreme& extreme, double value, bool beyond) {
  if (extreme.count == 0 || beyond)
    extreme = {value, 1};
  else if (value == extreme.value)
    extreme.count += 1;
}

// The error of the median of a normal sample exceeds that of its mean.
double inflation(Aggregate aggregate, std::size_t count) {
  return aggregate == Aggregate::median && count > 2 ? std::sqrt(std::numbers::pi / 2) : 1;
}

}  // namespace

void PooledSpread::add(const Strata& strata) {
  if (!is_finite(strata)) return;  // a failure is no noise
  const Squares own = squares_of(strata);
  squares_ += own.sum;
  degrees_ += own.degrees;
  trials_ += own.degrees > 0 ? 1 : 0;
  for (const auto& row : strata)
    for (const double value : row) {
      values_ += 1;
      note(least_, value, value < least_.value);
      note(most_, value, value > most_.value);
    }
}

Interval PooledSpread::bounded(Interval interval) const {
  const double needed = std::max(bound_values, bound_share * values_);
  if (least_.count >= needed) interval.low = std::max(interval.low, least_.value);
  if (most_.count >= needed) interval.high = std::min(interval.high, most_.value);
  return interval;
}

Spread PooledSpread::without(const Strata& strata) const {
  const Squares own = is_finite(strata) ? squares_of(strata) : Squares{};
  const double degrees = degrees_ - own.degrees;
  if (degrees <= 0) return {};
  const double trials = trials_ - (own.degrees > 0 ? 1 : 0);
  // A trial without its own spread has that of the others.
  const double counts = own.degrees > 0 ? trials * values_per_trial : degrees;
  return {std::max(0.0, squares_ - own.sum) / degrees, std::min(values_most, counts)};
}

std::optional<Spread> spread_of(const Strata& strata, const PooledSpread& pooled) {
  const Squares own = squares_of(strata);
  const Spread others = pooled.without(strata);
  const double degrees = others.degrees + own.degrees;
  if (degrees <= 0) return std::nullopt;
  return Spread{(others.degrees * others.variance + own.sum) / degrees, degrees};
}

std::optional<Interval> seed_interval(const Strata& strata, Aggregate aggregate,
                                      const PooledSpread& pooled) {
  const auto values = flattened(strata);
  if (values.size() < 2) return std::nullopt;
  const double center = aggregate_of(aggregate, values);
  const auto spread = spread_of(strata, pooled);
  if (!std::isfinite(center) || !spread) return std::nullopt;
  const double half = student_quantile((1 + covered_share) / 2, spread->degrees) *
                      inflation(aggregate, values.size()) *
                      std::sqrt(spread->variance / static_cast<double>(values.size()));
  const Interval bounded = pooled.bounded({center - half, center + half});
  const Interval found{std::min(bounded.low, center), std::max(bounded.high, center)};
  // The squares of large values overflow. A failed seed leaves one end unknown.
  const bool overflows = !std::isfinite(found.low) || !std::isfinite(found.high);
  return overflows && is_finite(strata) ? std::nullopt : std::optional(found);
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
    if (fresh) known->second = student_quantile((1 + covered_share) / 2, degrees);
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
