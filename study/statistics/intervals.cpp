#include "study/statistics/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "schemas/types/aggregate.hpp"

namespace hone::study {

Interval iqm_interval(const Strata& scores, const BootstrapSetting& setting) {
  std::size_t repetitions = std::numeric_limits<std::size_t>::max();
  for (const auto& row : scores) repetitions = std::min(repetitions, row.size());
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (repetitions < 2) return {-infinite, infinite};
  const double estimate = iqm_of(flattened(scores));
  const Interval narrow = bootstrap_interval(scores, iqm_of, setting);
  const auto n = static_cast<double>(repetitions);
  const double factor = std::sqrt(n / (n - 1));
  return {estimate - factor * (estimate - narrow.low),
          estimate + factor * (narrow.high - estimate)};
}

}  // namespace hone::study
