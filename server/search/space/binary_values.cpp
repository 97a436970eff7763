#include "server/search/space/binary_values.hpp"

#include <algorithm>
#include <utility>

#include "schemas/values/member.hpp"

namespace hone {
namespace {

double rounded_member(const FloatDomain& domain, double value) {
  const auto k = static_cast<double>(nearest_member(domain, value));
  return std::min(domain.min + k * *domain.step, domain.max);
}

struct HasBinaryMember {
  const Value& value;
  bool operator()(const FloatDomain& domain) const {
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || !(*number >= domain.min && *number <= domain.max)) return false;
    return !domain.step || rounded_member(domain, *number) == *number;
  }
  bool operator()(const IntDomain& domain) const {
    const auto* number = std::get_if<std::int64_t>(&value);
    return number != nullptr && *number >= domain.min && *number <= domain.max &&
           (*number - domain.min) % domain.step == 0;
  }
  bool operator()(const ChoiceDomain& domain) const {
    return std::find(domain.values.begin(), domain.values.end(), value) != domain.values.end();
  }
  bool operator()(const BoolDomain&) const { return std::holds_alternative<bool>(value); }
  bool operator()(const FixedDomain& domain) const { return domain.value == value; }
  bool operator()(const DerivedDomain&) const { return true; }  // its expression decides
};

}  // namespace

Value binary_member(const Domain& domain, Value member) {
  const auto* range = std::get_if<FloatDomain>(&domain);
  if (range == nullptr || !range->step) return member;
  return rounded_member(*range, std::get<double>(member));
}

bool has_binary_member(const Domain& domain, const Value& value) {
  return std::visit(HasBinaryMember{value}, domain);
}

}  // namespace hone
