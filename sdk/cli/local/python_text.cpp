#include "sdk/cli/local/python_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/ascii.hpp"
#include "schemas/codec/json.hpp"

namespace hone::cli {
namespace {
constexpr std::string_view python_blanks = " \t\r\n\\";

bool is_name_char(char c) { return is_letter_or_digit(c) || c == '_'; }

// The place of `wanted` outside of brackets and texts, or npos.
std::size_t find_outside(std::string_view text, char wanted) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto end = after_quoted(text, at); end > at) {
      at = end;
      continue;
    }
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == wanted && depth == 0) return at;
    ++at;
  }
  return std::string_view::npos;
}

// A `=` that is no comparison.
std::size_t find_assignment(std::string_view text) {
  const auto at = find_outside(text, '=');
  if (at == std::string_view::npos || at == 0) return std::string_view::npos;
  const bool compares = at + 1 < text.size() && text[at + 1] == '=';
  const bool is_part = std::string_view("<>!+-*/|&=").find(text[at - 1]) != std::string_view::npos;
  return compares || is_part ? std::string_view::npos : at;
}

ScriptField field_of(std::string_view line) {
  const auto equals = find_assignment(line);
  const auto head = trimmed(line.substr(0, equals));
  const auto colon = find_outside(head, ':');
  ScriptField field{std::string(trimmed(head.substr(0, colon))), {}, {}};
  if (colon != std::string_view::npos) field.annotation = trimmed(head.substr(colon + 1));
  if (equals != std::string_view::npos) field.given = trimmed(line.substr(equals + 1));
  return field;
}

bool is_name(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, is_name_char);
}

// SourceLines of a program from `at`; brackets and texts join them. Comments are left out.
class SourceLines {
 public:
  SourceLines(std::string_view program, std::size_t at) : program_(program), at_(at) {}

  struct Line {
    std::size_t indent = 0;
    std::string text;
  };
  std::optional<Line> next() {
    if (at_ >= program_.size()) return std::nullopt;
    Line line;
    while (at_ < program_.size() && (program_[at_] == ' ' || program_[at_] == '\t'))
      ++line.indent, ++at_;
    for (int depth = 0; at_ < program_.size();) {
      if (const auto end = after_quoted(program_, at_); end > at_) {
        if (program_[at_] != '#') line.text += program_.substr(at_, end - at_);
        at_ = end;
        continue;
      }
      const char c = program_[at_++];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (c == '\n' && depth <= 0 && !line.text.ends_with('\\')) break;
      line.text += c;
    }
    return line;
  }

 private:
  std::string_view program_;
  std::size_t at_;
};

// Behind "class NAME" or "def NAME", at the start of a line or behind blanks; npos if absent.
std::size_t behind_definition(std::string_view program, const std::string& head) {
  for (auto at = program.find(head); at != std::string_view::npos;
       at = program.find(head, at + 1)) {
    const auto end = at + head.size();
    const bool begins = at == 0 || program[at - 1] == '\n' || program[at - 1] == ' ';
    if (begins && end < program.size() && !is_name_char(program[end])) return end;
  }
  return std::string_view::npos;
}

// Arithmetic of numbers: what programs write for sizes and rates.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, std::string_view program, int depth)
      : text_(text), program_(program), depth_(depth) {}

  std::optional<Json> read() {
    auto value = product();
    skip();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && python_blanks.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool takes(std::string_view symbol) {
    skip();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }

  static std::optional<Json> number(double value, bool whole) {
    if (!std::isfinite(value)) return std::nullopt;
    if (whole && std::abs(value) < 0x1p53) return Json(static_cast<std::int64_t>(value));
    return Json(value);
  }

  std::optional<Json> product() {
    auto left = power();
    while (left) {
      const bool floors = takes("//");
      const bool divides = !floors && takes("/");
      if (!floors && !divides && !takes("*")) break;
      const auto right = power();
      if (!right || !left->is_number() || !right->is_number()) return std::nullopt;
      const double x = left->get<double>(), y = right->get<double>();
      const bool whole = left->is_number_integer() && right->is_number_integer() && !divides;
      left = number(floors ? std::floor(x / y) : divides ? x / y : x * y, whole);
    }
    return left;
  }

  std::optional<Json> power() {
    if (takes("-")) {
      const auto value = power();
      if (!value || !value->is_number()) return std::nullopt;
      return number(-value->get<double>(), value->is_number_integer());
    }
    auto base = atom();
    if (!base || !takes("**")) return base;
    const auto exponent = power();
    if (!exponent || !base->is_number() || !exponent->is_number()) return std::nullopt;
    return number(
        std::pow(base->get<double>(), exponent->get<double>()),
        base->is_number_integer() && exponent->is_number_integer() && exponent->get<double>() >= 0);
  }

  std::optional<Json> atom() {
    skip();
    if (at_ >= text_.size()) return std::nullopt;
    const char c = text_[at_];
    if (is_digit(c) || c == '.') return digits();
    if (c == '"' || c == '\'') return quoted();
    if (c == '[' || c == '(') return items();
    return name();
  }

  std::optional<Json> digits() {
    std::string digits;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool sign = (c == '-' || c == '+') && !digits.empty() &&
                        (digits.back() == 'e' || digits.back() == 'E');
      if (!is_letter_or_digit(c) && c != '.' && c != '_' && !sign) break;
      if (c != '_') digits += c;
      ++at_;
    }
    const bool whole = is_digits(digits);
    try {
      std::size_t used = 0;
      const double value = std::stod(digits, &used);
      return used == digits.size() ? number(value, whole) : std::nullopt;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  std::optional<Json> quoted() {
    std::string all;
    while (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const auto end = after_quoted(text_, at_);
      const auto one = unquoted(text_.substr(at_, end - at_));
      if (!one) return std::nullopt;
      all += *one;
      at_ = end;
      skip();
    }
    return Json(all);
  }

  std::optional<Json> items() {
    const bool round = text_[at_] == '(';
    std::size_t end = 0;
    const auto parts = split_arguments(text_, at_ + 1, &end);
    const bool is_tuple = !round || parts.size() != 1 ||
                          text_.substr(at_, end - at_).find(',') != std::string_view::npos;
    at_ = end;
    Json list = Json::array();
    for (const std::string& part : parts) {
      auto one = inner(part);
      if (!one) return std::nullopt;
      list.push_back(*std::move(one));
    }
    return is_tuple ? list : list[0];
  }

  std::optional<Json> name() {
    const auto begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    const auto word = text_.substr(begin, at_ - begin);
    if (word == "True" || word == "False") return Json(word == "True");
    if (word == "None") return Json(nullptr);
    if ((word == "int" || word == "float") && takes("(")) return converted(word == "int");
    if (!is_name(word) || depth_ == 0) return std::nullopt;
    for (const ScriptField& field : globals_of(program_))
      if (field.name == word && !field.given.empty()) return inner(field.given);
    return std::nullopt;
  }

  std::optional<Json> converted(bool whole) {
    std::size_t end = 0;
    const auto parts = split_arguments(text_, at_, &end);
    at_ = end;
    const auto value = parts.size() == 1 ? inner(parts.front()) : std::nullopt;
    if (!value || !value->is_number()) return std::nullopt;
    return number(whole ? std::trunc(value->get<double>()) : value->get<double>(), whole);
  }

  [[nodiscard]] std::optional<Json> inner(std::string_view text) const {
    if (depth_ == 0) return std::nullopt;
    return LiteralReader(text, program_, depth_ - 1).read();
  }

  std::string_view text_, program_;
  std::size_t at_ = 0;
  int depth_;  // of names and lists that may still be read: bounds the recursion
};

}  // namespace

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(python_blanks), text.size()));
  return text.substr(0, text.find_last_not_of(python_blanks) + 1);
}

std::size_t after_quoted(std::string_view program, std::size_t at) {
  const char c = program[at];
  if (c == '#') return std::min(program.find('\n', at), program.size());
  if (c != '"' && c != '\'') return at;
  const std::string three(3, c);
  const bool is_long = program.substr(at, 3) == three;
  std::size_t i = at + (is_long ? 3 : 1);
  for (; i < program.size(); ++i) {
    if (program[i] == '\\')
      ++i;
    else if (is_long ? program.substr(i, 3) == three : program[i] == c)
      return i + (is_long ? 3 : 1);
    else if (!is_long && program[i] == '\n')
      return i;
  }
  return program.size();
}

std::vector<std::string> split_arguments(std::string_view program, std::size_t at,
                                         std::size_t* end_place) {
  std::vector<std::string> parts(1);
  int depth = 0;
  program = program.substr(0, std::min(program.size(), at + call_bytes_max));
  while (at < program.size()) {
    const std::size_t end = after_quoted(program, at);
    if (end > at) {
      if (program[at] != '#') parts.back() += program.substr(at, end - at);
      at = end;
      continue;
    }
    const char c = program[at++];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) break;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (end_place != nullptr) *end_place = at;
  for (std::string& part : parts) part = trimmed(part);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

Argument argument_of(const std::string& part) {
  const auto equals = find_assignment(part);
  if (equals == std::string::npos || !is_name(trimmed(part.substr(0, equals)))) return {"", part};
  return {std::string(trimmed(part.substr(0, equals))),
          std::string(trimmed(part.substr(equals + 1)))};
}

void each_call(std::string_view program, std::string_view name,
               const std::function<void(std::size_t)>& take) {
  int taken = 0;
  for (std::size_t at = 0; at < program.size();) {
    const std::size_t end = after_quoted(program, at);
    if (end > at) {
      at = end;
      continue;
    }
    const auto behind = at + name.size();
    if ((at == 0 || !is_name_char(program[at - 1])) && behind < program.size() &&
        program.substr(at, name.size()) == name && program[behind] == '(' && taken++ < calls_max)
      take(behind + 1);
    ++at;
  }
}

bool calls(std::string_view program, std::string_view name) {
  bool found = false;
  each_call(program, name, [&](std::size_t) { found = true; });
  return found;
}

std::optional<std::string> unquoted(std::string_view text) {
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'')) return std::nullopt;
  if (after_quoted(text, 0) != text.size() || text.back() != text.front()) return std::nullopt;
  if (text.find('\\') != std::string_view::npos) return std::nullopt;
  return std::string(text.substr(1, text.size() - 2));
}

std::optional<Json> literal(std::string_view text, std::string_view program) {
  constexpr int depth_max = 8;
  return LiteralReader(trimmed(text), program, depth_max).read();
}

std::string quoted_texts(std::string_view program) {
  std::string texts;
  for (std::size_t at = 0; at < program.size();) {
    const std::size_t end = after_quoted(program, at);
    if (end > at && program[at] != '#') texts += std::string(program.substr(at, end - at)) + "\n";
    at = std::max(end, at + 1);
  }
  return texts;
}

std::optional<std::vector<ScriptField>> fields_of_class(std::string_view program,
                                                        std::string_view name) {
  const auto at = behind_definition(program, "class " + std::string(name));
  if (at == std::string_view::npos) return std::nullopt;
  const auto line_start = program.rfind('\n', at);
  const auto begin = line_start == std::string_view::npos ? 0 : line_start + 1;
  SourceLines lines(program, begin);
  const auto indent = lines.next()->indent;
  std::optional<std::size_t> body;  // what is deeper belongs to a method
  std::vector<ScriptField> fields;
  while (const auto line = lines.next()) {
    if (trimmed(line->text).empty()) continue;
    if (line->indent <= indent) break;
    if (line->indent > body.value_or(line->indent)) continue;
    body = line->indent;
    const ScriptField field = field_of(line->text);
    if (is_name(field.name) && !field.annotation.empty()) fields.push_back(field);
  }
  return fields;
}

std::optional<std::vector<ScriptField>> parameters_of(std::string_view program,
                                                      std::string_view name) {
  const auto at = behind_definition(program, "def " + std::string(name));
  if (at == std::string_view::npos || program[at] != '(') return std::nullopt;
  std::vector<ScriptField> fields;
  for (const std::string& part : split_arguments(program, at + 1))
    if (const ScriptField field = field_of(part); is_name(field.name)) fields.push_back(field);
  return fields;
}

std::vector<ScriptField> globals_of(std::string_view program) {
  std::vector<ScriptField> fields;
  SourceLines lines(program, 0);
  while (const auto line = lines.next()) {
    if (line->indent > 0) continue;
    const ScriptField field = field_of(line->text);
    if (is_name(field.name) && !field.given.empty()) fields.push_back(field);
  }
  return fields;
}

}  // namespace hone::cli
