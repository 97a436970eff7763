#include "server/search/statistics/tests.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/expect.hpp"
#include "schemas/types/aggregate.hpp"
#include "server/search/space/space.hpp"

namespace hone {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  constexpr int steps_max = 10'000;
  const auto kept = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1, d = 1 / kept(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m <= steps_max; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d), c = kept(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d), c = kept(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return fraction;
}

// The regularized incomplete beta function.
double beta_share(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_cdf(double t, double df) {
  const double tail = beta_share(df / 2, 0.5, df / (df + t * t)) / 2;
  return t < 0 ? tail : 1 - tail;
}

double student_quantile(double share, double df) {
  constexpr int halvings = 200;  // more than a double has bits
  double low = 0, high = 1;
  while (student_cdf(high, df) < share && high < 1e12) high *= 2;
  for (int i = 0; i < halvings; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (student_cdf(middle, df) < share ? low : high) = middle;
  }
  return low;
}

Welch welch(std::span<const double> a, std::span<const double> b) {
  expect(a.size() >= 2 && b.size() >= 2, "Welch's test needs two values of each");
  const double of_a = variance_of(a) / static_cast<double>(a.size());
  const double of_b = variance_of(b) / static_cast<double>(b.size());
  const double difference = mean_of(a) - mean_of(b);
  Welch result;
  if (!(of_a + of_b > 0)) {
    result.p_worse = difference < 0 ? 0 : difference > 0 ? 1 : 0.5;
    return result;
  }
  result.t = difference / std::sqrt(of_a + of_b);
  result.df = (of_a + of_b) * (of_a + of_b) /
              (of_a * of_a / static_cast<double>(a.size() - 1) +
               of_b * of_b / static_cast<double>(b.size() - 1));
  result.p_worse = student_cdf(result.t, result.df);
  return result;
}

namespace {

struct Difference {
  double size = 0;
  bool better = false;  // of a
  double rank = 0;      // from 1; equal sizes share the mean of theirs
};

std::vector<Difference> ranked_differences(std::span<const double> a, std::span<const double> b) {
  std::vector<Difference> found;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) found.push_back({std::abs(a[i] - b[i]), a[i] > b[i], 0});
  std::sort(found.begin(), found.end(),
            [](const Difference& l, const Difference& r) { return l.size < r.size; });
  for (std::size_t from = 0, to = 0; from < found.size(); from = to) {
    while (to < found.size() && found[to].size == found[from].size) ++to;
    for (std::size_t i = from; i < to; ++i)
      found[i].rank = (static_cast<double>(from + to) + 1) / 2;
  }
  return found;
}

// P(W <= sum), when each rank 1..n counts with a chance of one half.
double exact_share(std::size_t n, double sum) {
  std::vector<double> ways(n * (n + 1) / 2 + 1, 0);
  ways[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t at = ways.size(); at-- > rank;) ways[at] += ways[at - rank];
  double below = 0;
  for (std::size_t at = 0; at < ways.size() && static_cast<double>(at) <= sum; ++at)
    below += ways[at];
  return below / std::pow(2.0, static_cast<double>(n));
}

// The sum over groups of equal sizes of t^3 - t.
double tie_term(const std::vector<Difference>& differences) {
  double sum = 0;
  for (std::size_t from = 0, to = 0; from < differences.size(); from = to) {
    while (to < differences.size() && differences[to].size == differences[from].size) ++to;
    const auto count = static_cast<double>(to - from);
    sum += count * count * count - count;
  }
  return sum;
}

}  // namespace

double signed_rank_p_worse(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t exact_max = 50;
  expect(a.size() == b.size(), "pairs are of two samples of one length");
  const auto differences = ranked_differences(a, b);
  if (differences.empty()) return 0.5;
  double better = 0;
  for (const Difference& one : differences) better += one.better ? one.rank : 0;
  const double ties = tie_term(differences);
  if (ties == 0 && differences.size() <= exact_max) return exact_share(differences.size(), better);
  const auto n = static_cast<double>(differences.size());
  const double spread = std::sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24);
  return normal_cdf((better - n * (n + 1) / 4 + 0.5) / spread);
}

}  // namespace hone
