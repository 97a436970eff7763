#include "server/search/statistics/bootstrap.hpp"

#include <algorithm>
#include <cmath>

#include "base/expect.hpp"
#include "base/rng.hpp"

namespace hone {
namespace {

Strata resample(const Strata& strata, Rng& rng) {
  Strata drawn = strata;
  for (std::size_t row = 0; row < strata.size(); ++row)
    for (double& value : drawn[row]) value = strata[row][rng.below(strata[row].size())];
  return drawn;
}

Interval interval_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return {quantile_of(values, (1 - share) / 2), quantile_of(values, (1 + share) / 2)};
}

double share_of_wins(std::span<const double> a, std::span<const double> b) {
  double won = 0;
  for (const double x : a)
    for (const double y : b) won += x > y ? 1 : x == y ? 0.5 : 0;
  return won / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

}  // namespace

std::vector<double> flattened(const Strata& strata) {
  std::vector<double> all;
  for (const auto& row : strata) all.insert(all.end(), row.begin(), row.end());
  return all;
}

Strata resampled(const Strata& strata, std::uint64_t seed, std::uint64_t index) {
  Rng rng(seed, Purpose::bootstrap, index);
  return resample(strata, rng);
}

double quantile_of(std::span<const double> ascending, double share) {
  expect(!ascending.empty() && share >= 0 && share <= 1, "a quantile is of at least one value");
  const double place = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  if (ascending[below] == ascending[above] || !std::isfinite(ascending[below]))
    return ascending[below];
  return ascending[below] + (place - std::floor(place)) * (ascending[above] - ascending[below]);
}

Interval bootstrap_interval(const Strata& strata,
                            const std::function<double(std::span<const double>)>& statistic,
                            const BootstrapSetting& setting) {
  std::vector<double> values;
  for (int i = 0; i < setting.resamples; ++i)
    values.push_back(
        statistic(flattened(resampled(strata, setting.seed, static_cast<std::uint64_t>(i)))));
  return interval_of(std::move(values), setting.share);
}

double probability_of_improvement(const Strata& a, const Strata& b) {
  expect(a.size() == b.size() && !a.empty(), "both were run on the same instances");
  double sum = 0;
  for (std::size_t row = 0; row < a.size(); ++row) sum += share_of_wins(a[row], b[row]);
  return sum / static_cast<double>(a.size());
}

Interval improvement_interval(const Strata& a, const Strata& b, const BootstrapSetting& setting) {
  std::vector<double> values;
  for (int i = 0; i < setting.resamples; ++i) {
    Rng rng(setting.seed, Purpose::bootstrap, static_cast<std::uint64_t>(i));
    const Strata drawn = resample(a, rng);
    values.push_back(probability_of_improvement(drawn, resample(b, rng)));
  }
  return interval_of(std::move(values), setting.share);
}

double profile_at(const Strata& strata, double threshold) {
  double sum = 0;
  for (const auto& row : strata) {
    const auto reached =
        std::count_if(row.begin(), row.end(), [&](double value) { return value >= threshold; });
    sum += static_cast<double>(reached) / static_cast<double>(row.size());
  }
  return sum / static_cast<double>(strata.size());
}

std::vector<double> chances_to_be_best(
    std::span<const Strata> sets, const std::function<double(std::span<const double>)>& statistic,
    const BootstrapSetting& setting) {
  std::vector<double> chances(sets.size(), 0);
  std::vector<double> values(sets.size(), 0);
  for (int i = 0; i < setting.resamples; ++i) {
    Rng rng(setting.seed, Purpose::bootstrap, static_cast<std::uint64_t>(i));
    for (std::size_t k = 0; k < sets.size(); ++k)
      values[k] = statistic(flattened(resample(sets[k], rng)));
    const double best = *std::max_element(values.begin(), values.end());
    const auto ties = static_cast<double>(std::count(values.begin(), values.end(), best));
    for (std::size_t k = 0; k < sets.size(); ++k) chances[k] += values[k] == best ? 1 / ties : 0;
  }
  for (double& chance : chances) chance /= setting.resamples;
  return chances;
}

}  // namespace hone
