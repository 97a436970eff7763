#include "schemas/values/same.hpp"

#include <algorithm>
#include <cmath>

namespace hone {

std::optional<double> as_number(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

bool same_number(double a, double b) {
  const double larger = std::max(std::abs(a), std::abs(b));
  return a == b || (std::isfinite(larger) && std::abs(a - b) <= same_within * larger);
}

bool same_value(const Value& a, const Value& b) {
  if (a == b) return true;
  if (std::holds_alternative<std::int64_t>(a) && std::holds_alternative<std::int64_t>(b))
    return false;
  const auto x = as_number(a), y = as_number(b);
  return x && y && same_number(*x, *y);
}

SameNumbers same_as(double number) {
  const double within = same_within * std::abs(number);
  return {number - within, number + within};
}

}  // namespace hone
