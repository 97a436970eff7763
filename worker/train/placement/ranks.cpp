#include "worker/train/placement/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone::trainers {
namespace {

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double mean = static_cast<double>(first + end - 1) / 2;
    for (; first < end; ++first) ranks[order[first]] = mean;
  }
  return ranks;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto x = ranks_of(a);
  const auto y = ranks_of(b);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double both = 0;
  double of_x = 0;
  double of_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean) * (y[i] - mean);
    of_x += (x[i] - mean) * (x[i] - mean);
    of_y += (y[i] - mean) * (y[i] - mean);
  }
  if (of_x <= 0 || of_y <= 0) return 0;
  return std::clamp(both / std::sqrt(of_x * of_y), -1.0, 1.0);  // rounding could exceed 1
}

}  // namespace hone::trainers
