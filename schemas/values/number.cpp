#include "schemas/values/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/ascii.hpp"

namespace hone {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view minus_sign = "\xE2\x88\x92";  // U+2212
constexpr int wrappers_max = 6;                          // tensor([[0.25]])
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool equal_words(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char one, char other) {
    return one == other || (one >= 'A' && one <= 'Z' && one - 'A' + 'a' == other);
  });
}

// "float64" of "np.float64", without its digits: "float".
std::string_view type_name(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);  // npos + 1 is 0
  while (!name.empty() && (is_digit(name.back()) || name.back() == '_')) name.remove_suffix(1);
  return name;
}

bool is_wrapper(std::string_view name) {
  static constexpr std::array<std::string_view, 14> known{
      "float",  "bfloat",      "longdouble", "double", "half",    "int",       "uint",
      "tensor", "eagertensor", "array",      "mpf",    "decimal", "parameter", "variable"};
  return std::ranges::any_of(known, [&](auto one) { return equal_words(name, one); });
}

// " device='cuda:0', dtype=torch.float32" after the value of a tensor.
bool are_named_arguments(std::string_view text) {
  text = trimmed(text);
  const auto name = text.substr(0, text.find('='));
  return text.empty() || (name.size() < text.size() && is_plain(name, "_"));
}

// The end of the first argument of a call: brackets belong to it.
std::size_t end_of_argument(std::string_view text) {
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') ++open;
    if (text[at] == ']') --open;
    if (open == 0 && (text[at] == ',' || text[at] == ')')) return at;
  }
  return text.size();
}

// NAME(VALUE), NAME(VALUE, key=...); a pattern may have cut off what follows the comma.
std::optional<std::string_view> in_call(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || !is_wrapper(type_name(text.substr(0, open))))
    return std::nullopt;
  auto inside = text.substr(open + 1);
  const auto end = end_of_argument(inside);
  if (end == inside.size()) return std::nullopt;
  auto rest = inside.substr(end);
  if (rest.front() == ',' && rest.ends_with(')')) rest.remove_suffix(1);
  const bool ends = rest.front() == ')' ? rest.size() == 1 : are_named_arguments(rest.substr(1));
  return ends ? std::optional(inside.substr(0, end)) : std::nullopt;
}

// <tf.Tensor: shape=(), dtype=float32, numpy=0.25>
std::optional<std::string_view> in_angles(std::string_view text) {
  constexpr std::string_view mark = "numpy=";
  const auto at = text.find(mark);
  if (!text.starts_with('<') || !text.ends_with('>') || at == std::string_view::npos)
    return std::nullopt;
  return text.substr(at + mark.size(), text.size() - at - mark.size() - 1);
}

std::optional<std::string_view> in_pair(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const char first = text.front(), last = text.back();
  const bool quoted = (first == '"' || first == '\'') && last == first;
  const bool list = first == '[' && last == ']', tuple = first == '(' && last == ')';
  if (!quoted && !list && !tuple) return std::nullopt;
  text = trimmed(text.substr(1, text.size() - 2));
  if (!quoted && text.ends_with(',')) text.remove_suffix(1);
  return text;
}

// A mantissa of decimal digits and an exponent, as from_chars reads them.
struct Digits {
  std::string text;
  bool valid = true;
};

// 1,234.5: groups of three after one to three digits, and either a point or a second group.
bool are_groups(std::string_view mantissa) {
  const auto whole = mantissa.substr(0, mantissa.find('.'));
  const auto first = whole.find(',');
  if (first == 0 || first > 3 || whole.front() == '0') return false;
  if (whole.size() == first + 4 && whole.size() == mantissa.size()) return false;
  for (std::size_t at = first; at < whole.size(); at += 4)
    if (whole[at] != ',' || at + 4 > whole.size() || !is_digits(whole.substr(at + 1, 3)))
      return false;
  return is_digits(whole.substr(0, first)) && mantissa.substr(whole.size()).find(',') == whole.npos;
}

Digits digits_of(std::string_view text, bool is_list_item) {
  Digits digits;
  const auto e = std::min(text.find_first_of("eEdD"), text.size());
  const auto mantissa = text.substr(0, e);
  if (mantissa.find(',') != std::string_view::npos)
    digits.valid = !is_list_item && are_groups(mantissa);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool inner =
        at > 0 && at + 1 < text.size() && is_digit(text[at - 1]) && is_digit(text[at + 1]);
    if (c == '_' && !inner) digits.valid = false;
    if (c == '_' || (c == ',' && at < e)) continue;
    digits.text += at == e ? 'e' : c;
  }
  return digits;
}

// Whether a number that no double holds is too large, not too small.
bool is_huge(std::string_view digits) {
  const auto e = std::min(digits.find('e'), digits.size());
  const auto mantissa = digits.substr(0, e);
  auto power = digits.substr(std::min(e + 1, digits.size()));
  const bool negative = power.starts_with('-');
  if (negative || power.starts_with('+')) power.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) exponent = std::numeric_limits<int>::max();
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  const auto first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) return false;
  const auto above = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  return above + (negative ? -exponent : exponent) > 0;
}

std::optional<double> read_digits(std::string_view text, bool is_list_item) {
  const auto start = text.substr(text.starts_with('.') ? 1 : 0, 1);
  if (start.empty() || !is_digit(start.front())) return std::nullopt;
  const Digits digits = digits_of(text, is_list_item);
  if (!digits.valid) return std::nullopt;
  double number = 0;
  const char* end = digits.text.data() + digits.text.size();
  const auto read = std::from_chars(digits.text.data(), end, number);
  if (read.ptr != end) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) return is_huge(digits.text) ? infinity : 0.0;
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

std::optional<double> read_bare(std::string_view text, bool is_list_item) {
  const bool minus = text.starts_with('-'), sign = text.starts_with(minus_sign);
  if (sign) text.remove_prefix(minus_sign.size());
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  if (equal_words(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const bool infinite = equal_words(text, "inf") || equal_words(text, "infinity");
  const auto number = infinite ? std::optional(infinity) : read_digits(text, is_list_item);
  return number && (minus || sign) ? std::optional(-*number) : number;
}

}  // namespace

std::optional<double> read_number(std::string_view text) {
  text = trimmed(text);
  bool is_list_item = false;
  for (int depth = 0; depth < wrappers_max; ++depth) {
    auto inside = in_pair(text);
    if (inside && (text.front() == '[' || text.front() == '(')) is_list_item = true;
    if (!inside) inside = in_call(text);
    if (!inside) inside = in_angles(text);
    if (!inside) return read_bare(text, is_list_item);
    text = trimmed(*inside);
  }
  return std::nullopt;
}

std::optional<double> read_finite_number(std::string_view text) {
  const auto number = read_number(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

bool is_no_value(std::string_view text) {
  text = trimmed(text);
  return text.empty() || text == "-" || text == "--" ||
         std::ranges::any_of(std::array<std::string_view, 4>{"none", "null", "na", "n/a"},
                             [&](auto word) { return equal_words(text, word); });
}

}  // namespace hone
