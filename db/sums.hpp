// Sums of numbers from outside, which end at what a double holds exactly instead of overflowing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace hone::sql {

inline constexpr std::int64_t sum_max = std::int64_t{1} << 53;

inline std::string bounded_sum(const std::string& what) {
  const std::string most = std::to_string(sum_max) + ".0";
  return "CAST(max(-" + most + ", min(" + most + ", total(" + what + "))) AS INTEGER)";
}

inline void add_bounded(std::int64_t& sum, std::int64_t value) {
  sum = std::clamp(sum + std::clamp(value, -sum_max, sum_max), -sum_max, sum_max);
}

}  // namespace hone::sql
