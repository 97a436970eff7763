#include "server/search/space.hpp"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

double interpolate(Scale scale, double low, double high, double unit) {
  switch (scale) {
    case Scale::linear:
      return low + (high - low) * unit;
    case Scale::log:
      return std::exp(std::log(low) + (std::log(high) - std::log(low)) * unit);
  }
  return low;
}

// How many grid values min + k * step lie within [min, max]; a hair of tolerance for steps like
// 0.1.
std::int64_t grid_size(double min, double max, double step) {
  return static_cast<std::int64_t>(std::floor((max - min) / step + 1e-9)) + 1;
}

double quantized(const FloatDomain& domain, double value) {
  if (!domain.step) return std::clamp(value, domain.min, domain.max);
  const auto last = static_cast<double>(grid_size(domain.min, domain.max, *domain.step) - 1);
  const double k = std::clamp(std::round((value - domain.min) / *domain.step), 0.0, last);
  return std::min(domain.min + k * *domain.step, domain.max);
}

Value at(const FloatDomain& domain, double unit) {
  if (!domain.step || domain.scale == Scale::log)
    return quantized(domain, interpolate(domain.scale, domain.min, domain.max, unit));
  // Linear grid: every value equally likely, the two ends included.
  const auto size = static_cast<double>(grid_size(domain.min, domain.max, *domain.step));
  return quantized(domain, domain.min + std::floor(unit * size) * *domain.step);
}

Value at(const IntDomain& domain, double unit) {
  const std::int64_t last = (domain.max - domain.min) / domain.step;
  std::int64_t k = 0;
  if (domain.scale == Scale::linear) {
    k = static_cast<std::int64_t>(std::floor(unit * static_cast<double>(last + 1)));
  } else {
    const double half = static_cast<double>(domain.step) / 2;
    const double low = std::max(static_cast<double>(domain.min) - half, 0.5);
    const double high = static_cast<double>(domain.min + last * domain.step) + half;
    const double value = interpolate(Scale::log, low, high, unit);
    k = std::llround((value - static_cast<double>(domain.min)) / static_cast<double>(domain.step));
  }
  return domain.min + std::clamp<std::int64_t>(k, 0, last) * domain.step;
}

Value at(const ChoiceDomain& domain, double unit) {
  const auto size = domain.values.size();
  const auto index = static_cast<std::size_t>(unit * static_cast<double>(size));
  return domain.values[std::min(index, size - 1)];
}

Value at(const BoolDomain&, double unit) { return unit >= 0.5; }

Value at(const FixedDomain& domain, double) { return domain.value; }

bool holds(const FloatDomain& domain, const Value& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !(*number >= domain.min && *number <= domain.max)) return false;
  return quantized(domain, *number) == *number;
}

bool holds(const IntDomain& domain, const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && *number >= domain.min && *number <= domain.max &&
         (*number - domain.min) % domain.step == 0;
}

bool holds(const ChoiceDomain& domain, const Value& value) {
  return std::find(domain.values.begin(), domain.values.end(), value) != domain.values.end();
}

bool holds(const BoolDomain&, const Value& value) { return std::holds_alternative<bool>(value); }

bool holds(const FixedDomain& domain, const Value& value) { return domain.value == value; }

}  // namespace

Value value_at(const Domain& domain, double unit) {
  return std::visit([unit](const auto& one) { return at(one, unit); }, domain);
}

bool contains(const Domain& domain, const Value& value) {
  return std::visit([&value](const auto& one) { return holds(one, value); }, domain);
}

}  // namespace hone
