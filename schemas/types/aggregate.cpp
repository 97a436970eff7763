#include "schemas/types/aggregate.hpp"

#include <algorithm>
#include <cmath>

#include "base/expect.hpp"

namespace hone {
namespace {

// In ascending order, so that the sum does not depend on the order of arrival.
std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

double mean_of(std::span<const double> values) { return trimmed_mean_of(values, 0); }

double median_of(std::span<const double> values) {
  expect(!values.empty(), "a median is of at least one value");
  const auto ordered = sorted(values);
  const std::size_t half = ordered.size() / 2;
  if (ordered.size() % 2 == 1 || ordered[half - 1] == ordered[half]) return ordered[half];
  if (std::isinf(ordered[half - 1])) return ordered[half - 1];  // a failure is not averaged
  return ordered[half - 1] + (ordered[half] - ordered[half - 1]) / 2;
}

double iqm_of(std::span<const double> values) { return trimmed_mean_of(values, 0.25); }

double trimmed_mean_of(std::span<const double> values, double share) {
  expect(!values.empty() && share >= 0 && share < 0.5, "less than all values are left out");
  const auto ordered = sorted(values);
  const auto cut = static_cast<std::size_t>(std::floor(share * static_cast<double>(values.size())));
  const auto kept = std::span(ordered).subspan(cut, ordered.size() - 2 * cut);
  if (kept.front() == kept.back()) return kept.front();  // no rounding if all are equal
  return sum_of(kept) / static_cast<double>(kept.size());
}

double variance_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

double standard_error_of(std::span<const double> values) {
  if (values.size() < 2 || !all_finite(values)) return 0;
  return std::sqrt(variance_of(values) / static_cast<double>(values.size()));
}

double aggregate_of(Aggregate aggregate, std::span<const double> values) {
  switch (aggregate) {
    case Aggregate::mean:
      return mean_of(values);
    case Aggregate::median:
      return median_of(values);
    case Aggregate::iqm:
      return iqm_of(values);
    case Aggregate::lcb:
      return mean_of(values) - standard_error_of(values);
  }
  unreachable();
}

}  // namespace hone
