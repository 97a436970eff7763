#include "study/statistics/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "schemas/types/aggregate.hpp"

namespace hone::study {
namespace {

constexpr std::size_t exact_max = 300;  // differences; the sums of their ranks take 90,000 doubles

struct SignedRanks {
  std::vector<int> doubled;  // twice the rank of each size, which ties make a whole number
  int positive = 0;          // their sum over the positive differences
};

SignedRanks signed_ranks(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) differences.push_back(a[i] - b[i]);
  std::sort(differences.begin(), differences.end(),
            [](double x, double y) { return std::abs(x) < std::abs(y); });
  SignedRanks ranks;
  for (std::size_t at = 0; at < differences.size();) {
    std::size_t end = at;
    while (end < differences.size() && std::abs(differences[end]) == std::abs(differences[at]))
      ++end;
    const int rank = static_cast<int>(at + end + 1);  // twice the mean of at + 1 .. end
    for (; at < end; ++at) {
      ranks.doubled.push_back(rank);
      if (differences[at] > 0) ranks.positive += rank;
    }
  }
  return ranks;
}

// P(a sum of the ranks, each taken with chance 1/2, is at most `bound`).
double share_of_sums_up_to(const std::vector<int>& ranks, int bound) {
  const int whole = std::accumulate(ranks.begin(), ranks.end(), 0);
  std::vector<double> share(static_cast<std::size_t>(whole) + 1);
  share[0] = 1;
  int top = 0;
  for (const int rank : ranks) {
    top += rank;
    for (int sum = top; sum >= 0; --sum) {
      const auto at = static_cast<std::size_t>(sum);
      share[at] = (share[at] + (sum >= rank ? share[static_cast<std::size_t>(sum - rank)] : 0)) / 2;
    }
  }
  return std::accumulate(share.begin(), share.begin() + bound + 1, 0.0);
}

double normal_share(const SignedRanks& ranks, int bound) {
  double mean = 0, variance = 0;
  for (const int rank : ranks.doubled) mean += rank / 2.0, variance += rank * double(rank) / 4;
  return std::erfc(-(bound + 1 - mean) / std::sqrt(2 * variance)) / 2;
}

}  // namespace

double signed_rank_p(std::span<const double> a, std::span<const double> b) {
  const SignedRanks ranks = signed_ranks(a, b);
  if (ranks.doubled.empty()) return 1;
  const int whole = std::accumulate(ranks.doubled.begin(), ranks.doubled.end(), 0);
  const int bound = std::min(ranks.positive, whole - ranks.positive);
  const double share = ranks.doubled.size() <= exact_max ? share_of_sums_up_to(ranks.doubled, bound)
                                                         : normal_share(ranks, bound);
  return std::min(1.0, 2 * share);
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return p_values[x] < p_values[y]; });
  std::vector<double> adjusted(p_values.size());
  double highest = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const double p = p_values[order[place]] * static_cast<double>(order.size() - place);
    highest = std::max(highest, std::min(1.0, p));
    adjusted[order[place]] = highest;
  }
  return adjusted;
}

Effect effect_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences;
  double better = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences.push_back(a[i] - b[i]);
    better += a[i] > b[i] ? 1 : a[i] == b[i] ? 0.5 : 0;
  }
  const double mean = mean_of(differences), spread = std::sqrt(variance_of(differences));
  return {mean, spread > 0 ? mean / spread : 0, better / static_cast<double>(a.size())};
}

std::vector<Comparison> compare_all(std::span<const std::vector<double>> scores) {
  std::vector<Comparison> pairs;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = i + 1; j < scores.size(); ++j) {
      p_values.push_back(signed_rank_p(scores[i], scores[j]));
      pairs.push_back({i, j, 1, effect_of(scores[i], scores[j])});
    }
  const auto adjusted = holm(p_values);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].p = adjusted[i];
  return pairs;
}

}  // namespace hone::study
