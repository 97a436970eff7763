#include "schemas/values/member.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "schemas/values/same.hpp"

namespace hone {
namespace {

// A number within this share of a step of a member is that member.
constexpr double step_share = 1e-6;
// A number far from zero has a larger rounding.
constexpr double rounding = 1e-15;

constexpr std::int64_t digits_max = 999'999'999'999'999'999;  // of 18 digits, so that sums fit

struct Decimal {  // digits * 10^exponent
  std::int64_t digits = 0;
  int exponent = 0;
};

// The shortest decimal that reads back as `value`, which has at most 17 digits.
Decimal decimal_of(double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  Decimal decimal;
  int places = 0;
  const char* at = text.data();
  const bool negative = *at == '-';
  for (at += negative ? 1 : 0; *at != 'e'; ++at) {
    if (*at == '.') continue;
    decimal.digits = decimal.digits * 10 + (*at - '0');
    ++places;
  }
  if (negative) decimal.digits = -decimal.digits;
  at += at[1] == '+' ? 2 : 1;  // from_chars takes no plus
  std::from_chars(at, end.ptr, decimal.exponent);
  decimal.exponent -= places - 1;
  return decimal;
}

// The number of digits of the shortest decimal.
int digits_of(double value) {
  std::int64_t digits = decimal_of(value).digits;
  while (digits != 0 && digits % 10 == 0) digits /= 10;
  return static_cast<int>(std::to_string(std::abs(digits)).size());
}

// The same number with a smaller exponent; nullopt if its digits are too many.
std::optional<std::int64_t> digits_at(Decimal decimal, int exponent) {
  if (decimal.digits == 0) return 0;
  for (; decimal.exponent > exponent; --decimal.exponent) {
    if (std::abs(decimal.digits) > digits_max / 10) return std::nullopt;
    decimal.digits *= 10;
  }
  return decimal.digits;
}

// The double nearest to the decimal min + k * step; nullopt if the decimal has too many digits.
std::optional<double> nearest_to_decimal(const FloatDomain& domain, std::int64_t k) {
  const Decimal min = decimal_of(domain.min), step = decimal_of(*domain.step);
  const int exponent = min.digits == 0 ? step.exponent : std::min(min.exponent, step.exponent);
  const auto first = digits_at(min, exponent), stride = digits_at(step, exponent);
  if (!first || !stride || (k > 0 && *stride > digits_max / k)) return std::nullopt;
  const std::string text = std::to_string(*first + k * *stride) + 'e' + std::to_string(exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::optional<double> number_of(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  if (whole != nullptr) return static_cast<double>(*whole);
  return real != nullptr && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

// How far a number may be from a member of a range with steps of this length.
double tolerance(double step, double member) {
  return std::min(std::max(step_share * step, rounding * std::abs(member)), step / 4);
}

struct MemberOf {
  const Value& value;

  std::optional<Value> operator()(const FloatDomain& domain) const {
    const auto number = number_of(value);
    if (!number) return std::nullopt;
    if (!domain.step) return in_range(domain, *number);
    const double member = member_at(domain, nearest_member(domain, *number));
    if (std::abs(member - *number) > tolerance(*domain.step, member)) return std::nullopt;
    return member;
  }
  std::optional<Value> operator()(const IntDomain& domain) const {
    const auto whole = whole_number();
    if (!whole || *whole < domain.min || *whole > domain.max) return std::nullopt;
    if ((*whole - domain.min) % domain.step != 0) return std::nullopt;
    return *whole;
  }
  std::optional<Value> operator()(const ChoiceDomain& domain) const {
    const auto exact = std::ranges::find(domain.values, value);
    if (exact != domain.values.end()) return *exact;
    const auto same = std::ranges::find_if(
        domain.values, [&](const Value& one) { return same_value(one, value); });
    return same == domain.values.end() ? std::nullopt : std::optional(*same);
  }
  std::optional<Value> operator()(const BoolDomain&) const {
    return std::holds_alternative<bool>(value) ? std::optional(value) : std::nullopt;
  }
  std::optional<Value> operator()(const FixedDomain& domain) const {
    return same_value(domain.value, value) ? std::optional(domain.value) : std::nullopt;
  }
  std::optional<Value> operator()(const DerivedDomain&) const { return value; }

 private:
  static std::optional<Value> in_range(const FloatDomain& domain, double number) {
    if (number >= domain.min && number <= domain.max) return number;
    if (same_number(number, domain.min)) return domain.min;
    if (same_number(number, domain.max)) return domain.max;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> whole_number() const {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
    const auto number = number_of(value);
    if (!number || std::abs(*number) > 0x1p53) return std::nullopt;
    const double nearest = std::round(*number);
    if (std::abs(*number - nearest) > step_share) return std::nullopt;
    return static_cast<std::int64_t>(nearest);
  }
};

// For sentences: the shortest text that reads back the same.
std::string shown(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}
std::string shown(std::int64_t value) { return std::to_string(value); }
std::string shown(bool value) { return value ? "true" : "false"; }
std::string shown(const std::string& value) {
  constexpr std::size_t shown_max = 60;
  if (has_control_characters(value)) return "the text";
  std::size_t size = std::min(value.size(), shown_max);
  while (size < value.size() && (static_cast<unsigned char>(value[size]) & 0xc0U) == 0x80U) --size;
  return "'" + value.substr(0, size) + (size < value.size() ? "...'" : "'");
}
std::string shown(const JsonText& value) { return shown(value.text); }
std::string shown(const Value& value) {
  return std::visit([](const auto& one) { return shown(one); }, value);
}

struct NotAMember {
  const Value& value;

  std::string operator()(const FloatDomain& domain) const {
    const std::string range = "[" + shown(domain.min) + ", " + shown(domain.max) + "]";
    const auto number = number_of(value);
    if (!number) return shown(value) + " is no number of " + range;
    if (!domain.step) return outside(range, shown(std::clamp(*number, domain.min, domain.max)));
    return outside(range + " in steps of " + shown(*domain.step),
                   shown(member_at(domain, nearest_member(domain, *number))));
  }
  std::string operator()(const IntDomain& domain) const {
    const std::string range = "[" + shown(domain.min) + ", " + shown(domain.max) + "]";
    const auto number = number_of(value);
    if (!number) return shown(value) + " is no whole number of " + range;
    const auto last = (domain.max - domain.min) / domain.step;
    const double k =
        std::round((*number - static_cast<double>(domain.min)) / static_cast<double>(domain.step));
    const auto near = static_cast<std::int64_t>(std::clamp(k, 0.0, static_cast<double>(last)));
    const std::string steps = domain.step == 1 ? "" : " in steps of " + shown(domain.step);
    return outside("the whole numbers of " + range + steps,
                   shown(domain.min + std::min(near, last) * domain.step));
  }
  std::string operator()(const ChoiceDomain& domain) const {
    constexpr std::size_t named_max = 12;
    std::string all;
    for (std::size_t i = 0; i < std::min(domain.values.size(), named_max); ++i)
      all += (i == 0 ? "" : ", ") + shown(domain.values[i]);
    if (domain.values.size() > named_max) all += ", ...";
    return shown(value) + " is none of its values " + all + meant(domain);
  }
  std::string operator()(const BoolDomain&) const {
    return shown(value) + " is neither true nor false";
  }
  std::string operator()(const FixedDomain& domain) const {
    return "it is fixed at " + shown(domain.value) + ", not " + shown(value);
  }
  std::string operator()(const DerivedDomain&) const { return "it is computed"; }

 private:
  [[nodiscard]] std::string outside(const std::string& domain, const std::string& nearest) const {
    return shown(value) + " is not in " + domain + "; the nearest value is " + nearest;
  }
  // The choice that is nearly this one.
  [[nodiscard]] std::string meant(const ChoiceDomain& domain) const {
    std::vector<std::string> words;
    for (const Value& one : domain.values) {
      const auto* word = std::get_if<std::string>(&one);
      words.push_back(word != nullptr ? *word : shown(one));
    }
    const auto* word = std::get_if<std::string>(&value);
    const std::string wanted = word != nullptr ? *word : shown(value);
    return did_you_mean(wanted, std::vector<std::string_view>(words.begin(), words.end()));
  }
};

}  // namespace

// With a tolerance for steps like 0.1.
std::int64_t member_count(const FloatDomain& domain) {
  return static_cast<std::int64_t>(std::floor((domain.max - domain.min) / *domain.step + 1e-9)) + 1;
}

double member_at(const FloatDomain& domain, std::int64_t k) {
  const double rounded = domain.min + static_cast<double>(k) * *domain.step;
  const double member = nearest_to_decimal(domain, k).value_or(rounded);
  if (member > domain.max) return domain.max;
  const bool is_max = domain.max - member <= tolerance(*domain.step, member);
  return is_max && digits_of(domain.max) < digits_of(member) ? domain.max : member;
}

std::int64_t nearest_member(const FloatDomain& domain, double value) {
  const auto last = member_count(domain) - 1;
  const double k = std::round((value - domain.min) / *domain.step);
  return static_cast<std::int64_t>(std::clamp(k, 0.0, static_cast<double>(last)));
}

std::optional<Value> member_of(const Domain& domain, const Value& value) {
  return std::visit(MemberOf{value}, domain);
}

std::string not_a_member(const Domain& domain, const Value& value) {
  return std::visit(NotAMember{value}, domain);
}

}  // namespace hone
