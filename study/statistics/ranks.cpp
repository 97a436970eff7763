#include "study/statistics/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace hone::study {
namespace {

// The regularized lower incomplete gamma function by its series; x < a + 1.
double gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < 10'000 && term > sum * std::numeric_limits<double>::epsilon(); ++n)
    sum += term *= x / (a + n);
  return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

// The upper one by its continued fraction (Lentz); x >= a + 1.
double gamma_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, product = d;
  for (int n = 1; n < 10'000; ++n) {
    const double factor = -n * (n - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    product *= d * c;
    if (std::abs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return product * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

// Sum of t^3 - t over the ties of a block.
double ties_of(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  double sum = 0;
  for (auto at = scores.begin(); at != scores.end();) {
    const auto end = std::upper_bound(at, scores.end(), *at);
    const auto size = static_cast<double>(end - at);
    sum += size * size * size - size;
    at = end;
  }
  return sum;
}

}  // namespace

std::vector<double> ranks_of(std::span<const double> scores) {
  std::vector<double> ranks;
  for (const double own : scores) {
    const auto better =
        std::count_if(scores.begin(), scores.end(), [&](double s) { return s > own; });
    const auto equal = std::count(scores.begin(), scores.end(), own);
    ranks.push_back(static_cast<double>(better) + (static_cast<double>(equal) + 1) / 2);
  }
  return ranks;
}

std::vector<double> mean_ranks(std::span<const Block> blocks) {
  std::vector<double> sums(blocks.front().size());
  for (const Block& block : blocks) {
    const auto ranks = ranks_of(block);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += ranks[i];
  }
  for (double& sum : sums) sum /= static_cast<double>(blocks.size());
  return sums;
}

Friedman friedman(std::span<const Block> blocks) {
  const auto n = static_cast<double>(blocks.size());
  const auto k = static_cast<double>(blocks.front().size());
  double squares = 0, ties = 0;
  for (const double rank : mean_ranks(blocks))
    squares += (rank - (k + 1) / 2) * (rank - (k + 1) / 2);
  for (const Block& block : blocks) ties += ties_of(block);
  const double correction = 1 - ties / (n * (k * k * k - k));
  if (k < 2 || correction <= 0) return {};
  const double statistic = 12 * n / (k * (k + 1)) * squares / correction;
  return {statistic, chi_square_tail(statistic, k - 1)};
}

double chi_square_tail(double x, double degrees) {
  const double a = degrees / 2, half = x / 2;
  if (half <= 0) return 1;
  return half < a + 1 ? 1 - gamma_series(a, half) : gamma_fraction(a, half);
}

double normal_range_cdf(double range, std::size_t count) {
  if (range <= 0) return 0;
  // k times the integral of phi(z) (Phi(z) - Phi(z - range))^(k - 1), by Simpson's rule.
  constexpr int steps = 4000;
  constexpr double reach = 9;
  const double low = -reach, width = (2 * reach + range) / steps;
  const auto k = static_cast<double>(count);
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double z = low + i * width;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * density * std::pow(normal_cdf(z) - normal_cdf(z - range), k - 1);
  }
  return std::min(1.0, k * sum * width / 3);
}

double critical_difference(std::size_t methods, std::size_t blocks, double alpha) {
  constexpr int halvings = 60;
  double low = 0, high = 50;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (normal_range_cdf(middle, methods) < 1 - alpha ? low : high) = middle;
  }
  const auto k = static_cast<double>(methods);
  return low / std::numbers::sqrt2 * std::sqrt(k * (k + 1) / (6 * static_cast<double>(blocks)));
}

std::vector<RankGroup> groups_within(std::span<const double> ascending_ranks, double difference) {
  std::vector<RankGroup> groups;
  for (std::size_t first = 0; first < ascending_ranks.size(); ++first) {
    std::size_t last = first;
    while (last + 1 < ascending_ranks.size() &&
           ascending_ranks[last + 1] - ascending_ranks[first] < difference)
      ++last;
    if (last > first && (groups.empty() || groups.back().last < last))
      groups.push_back({first, last});
  }
  return groups;
}

}  // namespace hone::study
