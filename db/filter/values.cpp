#include "db/filter/values.hpp"

#include <cmath>

#include "base/expect.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/values/number.hpp"
#include "schemas/values/same.hpp"

namespace hone::filter {
namespace {

constexpr std::int64_t day_us = 86'400LL * 1'000'000;

double scale_of(char suffix) {
  switch (suffix) {
    case 'k':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    default:
      return 0;
  }
}

std::int64_t unit_us(char suffix) {
  switch (suffix) {
    case 's':
      return 1'000'000;
    case 'm':
      return 60LL * 1'000'000;
    case 'h':
      return 3'600LL * 1'000'000;
    case 'd':
      return day_us;
    default:
      return 0;
  }
}

bool wild(const Literal& literal) {
  return !literal.quoted && literal.text.find('*') != std::string::npos;
}

// Escapes the special characters of GLOB except the star.
std::string glob_of(const std::string& text) {
  std::string pattern;
  for (const char c : text)
    if (c == '?' || c == '[')
      pattern += std::string("[") + c + "]";
    else
      pattern += c;
  return pattern;
}

std::string like_of(const std::string& text) {
  std::string pattern = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

}  // namespace

std::string any_one(ObjectKind kind) {
  const std::string_view name = word(kind);
  const bool vowel = std::string_view("aeiou").find(name.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(name);
}

std::string_view sign(Op op) {
  switch (op) {
    case Op::equal:
      return "=";
    case Op::differs:
      return "<>";
    case Op::less:
      return "<";
    case Op::at_most:
      return "<=";
    case Op::more:
      return ">";
    case Op::at_least:
      return ">=";
    case Op::holds:
      return "LIKE";
  }
  unreachable();
}

std::optional<double> as_number(const Literal& literal) {
  // [0.5] is the list, not the number in it.
  if (literal.quoted || literal.text.empty() || literal.text.front() == '[') return std::nullopt;
  if (const auto value = read_finite_number(literal.text)) return value;
  const double scale = scale_of(literal.text.back());
  const auto value = read_finite_number(literal.text.substr(0, literal.text.size() - 1));
  if (scale == 0 || !value) return std::nullopt;
  return *value * scale;
}

std::optional<bool> as_truth(const Literal& literal) {
  if (literal.text == "true" || literal.text == "yes") return true;
  if (literal.text == "false" || literal.text == "no") return false;
  return std::nullopt;
}

Result<double> number_of(const Literal& literal, std::string_view field) {
  if (const auto value = as_number(literal)) return *value;
  return fault(literal.at, std::string(field) + " is a number; '" + literal.text + "' is none");
}

Result<Instant> time_of(const Literal& literal, Instant now) {
  const std::string& text = literal.text;
  if (text.size() > 2 && text.front() == '-' && unit_us(text.back()) != 0)
    if (const auto value = read_finite_number(text.substr(1, text.size() - 2));
        value && *value >= 0 && *value < 1e6)
      return Instant{now.us -
                     static_cast<std::int64_t>(*value * static_cast<double>(unit_us(text.back())))};
  if (const auto time = parse_rfc3339(text)) return *time;
  if (const auto day = parse_rfc3339(text + "T00:00:00Z")) return *day;
  return fault(literal.at, "'" + text +
                               "' is no time: write 2026-11-21, 2026-11-21T10:04:05Z, or -2d for "
                               "two days ago");
}

Result<ObjectId> id_of(const Literal& literal, ObjectKind kind) {
  const auto id = parse_object_id(literal.text);
  if (id && id->index() == static_cast<std::size_t>(kind)) return *id;
  const auto example = find_field(kind, "id")->help;
  return fault(literal.at, "'" + literal.text + "' is no id of a " + std::string(word(kind)) +
                               ": they look like " + std::string(example));
}

Piece number_condition(const std::string& sql, Op op, double number) {
  const SameNumbers same = same_as(number);
  switch (op) {
    case Op::equal:
      return {sql + " BETWEEN ? AND ?", {same.low, same.high}};
    case Op::differs:
      return {sql + " NOT BETWEEN ? AND ?", {same.low, same.high}};
    case Op::less:
      return {sql + " < ?", {same.low}};
    case Op::at_most:
      return {sql + " <= ?", {same.high}};
    case Op::more:
      return {sql + " > ?", {same.high}};
    case Op::at_least:
      return {sql + " >= ?", {same.low}};
    case Op::holds:
      break;
  }
  unreachable();
}

Result<Piece> text_condition(const std::string& sql, const Comparison& comparison,
                             const Literal& literal) {
  switch (comparison.op) {
    case Op::equal:
      if (wild(literal)) return Piece{sql + " GLOB ?", {glob_of(literal.text)}};
      return Piece{sql + " = ?", {literal.text}};
    case Op::differs:
      if (wild(literal)) return Piece{sql + " NOT GLOB ?", {glob_of(literal.text)}};
      return Piece{sql + " <> ?", {literal.text}};
    case Op::holds:
      return Piece{sql + " LIKE ? ESCAPE '\\'", {like_of(literal.text)}};
    case Op::less:
    case Op::at_most:
    case Op::more:
    case Op::at_least:
      break;
  }
  return fault(comparison.op_at, "a text is compared by =, != or ~ (holds)");
}

}  // namespace hone::filter
