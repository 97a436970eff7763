#include "schemas/values/same.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace hone {
namespace {

// The number that begins at `at` of a JSON text; empty where none does.
std::string_view number_at(std::string_view text, std::size_t at) {
  const auto begins = text[at] == '-' || (text[at] >= '0' && text[at] <= '9');
  const auto end = text.find_first_not_of("+-.0123456789eE", at);
  return begins ? text.substr(at, std::min(end, text.size()) - at) : std::string_view();
}

// Whole numbers exactly, others as same_number.
bool same_digits(std::string_view a, std::string_view b) {
  const auto is_whole = [](std::string_view text) {
    return text.find_first_of(".eE") == text.npos;
  };
  if (a == b || (is_whole(a) && is_whole(b))) return a == b;
  double x = 0, y = 0;
  std::from_chars(a.data(), a.data() + a.size(), x);
  std::from_chars(b.data(), b.data() + b.size(), y);
  return same_number(x, y);
}

// Two JSON texts whose numbers are the same: [1, 2] is [1.0, 2].
bool same_json(std::string_view a, std::string_view b) {
  bool in_string = false;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const std::string_view x = in_string ? std::string_view() : number_at(a, i);
    const std::string_view y = in_string ? std::string_view() : number_at(b, j);
    if (!x.empty() && !y.empty()) {
      if (!same_digits(x, y)) return false;
      i += x.size(), j += y.size();
      continue;
    }
    if (a[i] != b[j]) return false;
    if (in_string && a[i] == '\\') {  // an escape: its second character ends no string
      if (a.substr(i, 2) != b.substr(j, 2)) return false;
      i += 2, j += 2;
      continue;
    }
    if (a[i] == '"') in_string = !in_string;
    ++i, ++j;
  }
  return i >= a.size() && j >= b.size();
}

}  // namespace

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
  if (const auto* x = std::get_if<JsonText>(&a), *y = std::get_if<JsonText>(&b); x && y)
    return same_json(x->text, y->text);
  const auto x = as_number(a), y = as_number(b);
  return x && y && same_number(*x, *y);
}

SameNumbers same_as(double number) {
  const double within = same_within * std::abs(number);
  return {number - within, number + within};
}

}  // namespace hone
