#include "server/search/space/expression.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

#include "base/expect.hpp"
#include "schemas/values/same.hpp"

namespace hone {
namespace {

// Numbers compare as numbers (1 == 1.0); other values only with values of their type.
bool equal_in_all_bits(const Value& a, const Value& b) {
  const auto x = as_number(a);
  const auto y = as_number(b);
  if (x && y) return *x == *y;
  return a == b;
}

// A number too large to be exact stays a float.
Value as_int(double value) {
  constexpr double exact = 0x1p53;
  if (std::abs(value) > exact) return value;
  return static_cast<std::int64_t>(value);
}

std::optional<Value> finite_value(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return Value{value};
}

}  // namespace

bool Expression::holds(const Params& params) const {
  const auto value = evaluate(params);
  const auto* truth = value ? std::get_if<bool>(&*value) : nullptr;
  return truth != nullptr && *truth;
}

std::optional<Value> Expression::evaluate(const Params& params) const {
  std::vector<const Value*> values;
  values.reserve(names_.size());
  for (const std::string& name : names_) values.push_back(find(params, name));
  return evaluate_at(values);
}

std::optional<Value> Expression::evaluate_at(Values values) const {
  return evaluate(nodes_.size() - 1, values);
}

namespace {

// nullopt if the two have no order: different types, or truth values.
std::optional<std::partial_ordering> order(const Value& a, const Value& b) {
  const auto x = as_number(a);
  const auto y = as_number(b);
  if (x && y) return *x <=> *y;
  const auto* s = std::get_if<std::string>(&a);
  const auto* t = std::get_if<std::string>(&b);
  if (s != nullptr && t != nullptr) return *s <=> *t;
  return std::nullopt;
}

std::optional<std::vector<double>> all_numbers(const std::vector<Value>& values) {
  std::vector<double> result;
  for (const Value& value : values) {
    const auto one = as_number(value);
    if (!one) return std::nullopt;
    result.push_back(*one);
  }
  return result;
}

}  // namespace

// `and` and `or` stop at the first operand that decides them.
std::optional<Value> Expression::logic(const Node& node, Values values) const {
  const auto first = evaluate(node.args[0], values);
  const auto* truth = first ? std::get_if<bool>(&*first) : nullptr;
  if (truth == nullptr) return std::nullopt;
  if (node.kind == Kind::logical_not) return Value{!*truth};
  if (*truth == (node.kind == Kind::logical_or)) return *truth;
  auto second = evaluate(node.args[1], values);
  if (!second || !std::holds_alternative<bool>(*second)) return std::nullopt;
  return second;
}

std::optional<Value> Expression::evaluate(std::size_t index, Values values) const {
  const Node& node = nodes_[index];
  if (node.kind == Kind::constant) return node.constant;
  if (node.kind == Kind::name) {
    const Value* value = values[node.name];
    return value == nullptr ? std::nullopt : std::optional(*value);
  }
  if (node.kind == Kind::logical_and || node.kind == Kind::logical_or ||
      node.kind == Kind::logical_not)
    return logic(node, values);

  std::vector<Value> args;
  for (const std::size_t arg : node.args) {
    auto value = evaluate(arg, values);
    if (!value) return std::nullopt;
    args.push_back(std::move(*value));
  }
  if (node.kind >= Kind::less && node.kind <= Kind::in) return relation(node.kind, args);
  const auto x = all_numbers(args);
  auto result = x ? arithmetic(node.kind, *x) : std::nullopt;
  if (!result || numbers_ == Numbers::floats || !makes_int(node.kind, args)) return result;
  return as_int(std::get<double>(*result));
}

bool Expression::makes_int(Kind kind, const std::vector<Value>& args) {
  if (kind == Kind::floor || kind == Kind::ceil || kind == Kind::round || kind == Kind::truncate)
    return true;
  if (kind == Kind::divide || kind == Kind::log || kind == Kind::exp || kind == Kind::sqrt)
    return false;
  const bool ints = std::ranges::all_of(
      args, [](const Value& one) { return std::holds_alternative<std::int64_t>(one); });
  return ints && (kind != Kind::power || std::get<std::int64_t>(args[1]) >= 0);
}

bool Expression::equal(const Value& a, const Value& b) const {
  return comparison_ == Comparison::exact ? equal_in_all_bits(a, b) : same_value(a, b);
}

std::optional<Value> Expression::relation(Kind kind, const std::vector<Value>& args) const {
  if (kind == Kind::equal) return Value{equal(args[0], args[1])};
  if (kind == Kind::not_equal) return Value{!equal(args[0], args[1])};
  if (kind == Kind::in)
    return Value{std::any_of(args.begin() + 1, args.end(),
                             [&](const Value& one) { return equal(one, args[0]); })};
  auto ordering = order(args[0], args[1]);
  if (!ordering) return std::nullopt;
  if (equal(args[0], args[1])) ordering = std::partial_ordering::equivalent;
  if (kind == Kind::less) return Value{*ordering < 0};
  if (kind == Kind::less_equal) return Value{*ordering <= 0};
  if (kind == Kind::greater) return Value{*ordering > 0};
  expect(kind == Kind::greater_equal, "every relation is known");
  return Value{*ordering >= 0};
}

// Returns the largest whole number that is not above the value: 3 for 0.3 / 0.1, which is
// 2.9999999999999996.
double Expression::whole_part(double value) const {
  const double nearest = std::round(value);
  const bool whole = comparison_ == Comparison::rounded && same_number(value, nearest);
  return whole ? nearest : std::floor(value);
}

// Exactly 0 where the quotient is a whole number but for rounding.
double Expression::remainder(double x, double y) const {
  const double quotient = x / y, whole = whole_part(quotient);
  const bool exact = comparison_ == Comparison::exact;
  return !exact && same_number(quotient, whole) ? 0 : x - y * whole;
}

std::optional<Value> Expression::arithmetic(Kind kind, const std::vector<double>& x) const {
  switch (kind) {
    case Kind::negate:
      return finite_value(-x[0]);
    case Kind::add:
      return finite_value(x[0] + x[1]);
    case Kind::subtract:
      return finite_value(x[0] - x[1]);
    case Kind::multiply:
      return finite_value(x[0] * x[1]);
    case Kind::divide:
      return finite_value(x[0] / x[1]);
    case Kind::modulo:
      return finite_value(remainder(x[0], x[1]));
    case Kind::power:
      return finite_value(std::pow(x[0], x[1]));
    case Kind::min:
      return finite_value(*std::min_element(x.begin(), x.end()));
    case Kind::max:
      return finite_value(*std::max_element(x.begin(), x.end()));
    case Kind::log:
      return finite_value(std::log(x[0]));
    case Kind::exp:
      return finite_value(std::exp(x[0]));
    case Kind::sqrt:
      return finite_value(std::sqrt(x[0]));
    case Kind::abs:
      return finite_value(std::abs(x[0]));
    case Kind::floor:
      return finite_value(whole_part(x[0]));
    case Kind::ceil:
      return finite_value(-whole_part(-x[0]));
    case Kind::round:
      return finite_value(std::round(x[0]));
    case Kind::truncate:
      return finite_value(x[0] < 0 ? -whole_part(-x[0]) : whole_part(x[0]));
    case Kind::constant:
    case Kind::name:
    case Kind::logical_not:
    case Kind::logical_and:
    case Kind::logical_or:
    case Kind::less:
    case Kind::less_equal:
    case Kind::greater:
    case Kind::greater_equal:
    case Kind::equal:
    case Kind::not_equal:
    case Kind::in:
      break;
  }
  unreachable();
}

}  // namespace hone
