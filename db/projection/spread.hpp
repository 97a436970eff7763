// The mean and the deviation of the values of an evaluation.
#pragma once

#include <cmath>
#include <vector>

namespace hone {

struct Spread {
  double mean = 0;
  double deviation = 0;  // with n - 1; 0 of a single value
};

inline Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

}  // namespace hone
