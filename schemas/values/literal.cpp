#include "schemas/values/literal.hpp"

#include <charconv>
#include <cstdint>
#include <string>

namespace hone {
namespace {

bool all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text;
}

// [0-9]+ with a sign, 0o[0-7]+, 0x[0-9a-fA-F]+
bool is_integer(std::string_view text) {
  if (text.starts_with("0o")) return all_of(text.substr(2), "01234567");
  if (text.starts_with("0x")) return all_of(text.substr(2), "0123456789abcdefABCDEF");
  return all_of(without_sign(text), "0123456789");
}

// A sign, then .5 or 5 or 5. or 5.5, then perhaps an exponent.
bool is_float(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  text = without_sign(text);
  const auto e = text.find_first_of("eE");
  if (e != std::string_view::npos && !all_of(without_sign(text.substr(e + 1)), digits))
    return false;
  const auto mantissa = text.substr(0, e);
  const auto dot = mantissa.find('.');
  if (dot == std::string_view::npos) return all_of(mantissa, digits);
  const auto whole = mantissa.substr(0, dot);
  const auto fraction = mantissa.substr(dot + 1);
  if (whole.empty()) return all_of(fraction, digits);
  return all_of(whole, digits) && (fraction.empty() || all_of(fraction, digits));
}

bool is_not_finite(std::string_view text) {
  const auto bare = without_sign(text);
  return bare == ".inf" || bare == ".Inf" || bare == ".INF" || text == ".nan" || text == ".NaN" ||
         text == ".NAN";
}

template <class Number, class... Format>
Result<Value> number_from(std::string_view digits, Format... format) {
  Number number{};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, format...);
  if (error != std::errc{} || end != digits.data() + digits.size())
    return refuse(Code::invalid, "the number " + std::string(digits) + " does not fit 64 bits");
  return Value{number};
}

}  // namespace

Result<Value> read_literal(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return Value{true};
  if (text == "false" || text == "False" || text == "FALSE") return Value{false};
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (is_integer(text)) {
    if (digits.starts_with("0o")) return number_from<std::int64_t>(digits.substr(2), 8);
    if (digits.starts_with("0x")) return number_from<std::int64_t>(digits.substr(2), 16);
    return number_from<std::int64_t>(digits);
  }
  if (is_float(text)) return number_from<double>(digits);
  if (is_not_finite(text))
    return refuse(Code::invalid, std::string(text) + " is not a finite number");
  return Value{std::string(text)};
}

}  // namespace hone
