#include "tests/bench/problem_space.hpp"

#include <limits>

namespace hone::bench {

double squared(double x) { return x * x; }

FloatDomain real(double min, double max, Scale scale) { return {min, max, scale, {}, {}}; }

IntDomain whole(std::int64_t min, std::int64_t max, Scale scale) {
  return {min, max, scale, 1, {}};
}

ChoiceDomain among(std::int64_t size) {
  ChoiceDomain domain;
  for (std::int64_t i = 0; i < size; ++i) domain.values.emplace_back(i);
  return domain;
}

Space space_of(const std::vector<Domain>& domains, const std::vector<std::string>& when) {
  Space space;
  for (std::size_t i = 0; i < domains.size(); ++i)
    space.push_back({"x" + std::to_string(i), domains[i], i < when.size() ? when[i] : ""});
  return space;
}

std::vector<double> values_of(const SearchSpace& space, std::span<const double> point) {
  std::vector<double> values;
  const Params params = space.params_at(point);
  for (const Parameter& parameter : space.parameters()) {
    const Value* value = find(params, parameter.name);
    if (value == nullptr)
      values.push_back(std::numeric_limits<double>::quiet_NaN());
    else if (const auto* number = std::get_if<double>(value))
      values.push_back(*number);
    else
      values.push_back(static_cast<double>(std::get<std::int64_t>(*value)));
  }
  return values;
}

}  // namespace hone::bench
