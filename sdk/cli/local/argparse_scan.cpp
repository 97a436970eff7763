#include "sdk/cli/local/argparse_scan.hpp"

#include <algorithm>

namespace hone::cli {
namespace {

constexpr std::string_view argument_call = "add_argument(";
constexpr std::string_view python_blanks = " \t\r\n\\";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(python_blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(python_blanks) - first + 1);
}

// Returns the place after the text or comment that begins at `at`, or `at` if none does.
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

// The arguments of a call or list, split at its commas; `at` is behind the opening bracket.
std::vector<std::string> split_arguments(std::string_view program, std::size_t at) {
  std::vector<std::string> parts(1);
  int depth = 0;
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
  for (std::string& part : parts) part = trimmed(part);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

void read_argument(const std::string& part, ScriptFlag& flag) {
  if (const auto name = unquoted(part)) {
    if (name->starts_with("--") && flag.option.empty()) flag.option = *name;
    return;
  }
  const auto equals = part.find('=');
  if (equals == std::string::npos) return;
  const std::string key(trimmed(part.substr(0, equals)));
  const std::string value(trimmed(part.substr(equals + 1)));
  if (key == "type") flag.type = value;
  if (key == "action") flag.action = unquoted(value).value_or(value);
  if (key == "default" && value != "None") flag.given = value;
  if (key == "choices" && (value.starts_with('[') || value.starts_with('(')))
    flag.choices = split_arguments(value, 1);
}

}  // namespace

std::optional<std::string> unquoted(std::string_view text) {
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'')) return std::nullopt;
  if (after_quoted(text, 0) != text.size() || text.back() != text.front()) return std::nullopt;
  if (text.find('\\') != std::string_view::npos) return std::nullopt;
  return std::string(text.substr(1, text.size() - 2));
}

std::vector<ScriptFlag> scan_argparse(std::string_view program) {
  std::vector<ScriptFlag> flags;
  std::size_t at = 0;
  while (at < program.size()) {
    const std::size_t end = after_quoted(program, at);
    if (end > at) {
      at = end;
    } else if (program.substr(at, argument_call.size()) == argument_call) {
      at += argument_call.size();
      ScriptFlag flag;
      for (const std::string& part : split_arguments(program, at)) read_argument(part, flag);
      if (!flag.option.empty()) flags.push_back(std::move(flag));
    } else {
      ++at;
    }
  }
  return flags;
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

std::string flag_name(const ScriptFlag& flag) {
  std::string name = flag.option.substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace hone::cli
