#include "schemas/types/line_pattern.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace hone {
namespace {

constexpr std::size_t pattern_bytes_max = 1000;
constexpr std::size_t line_bytes_max = 1024;

bool is_name(std::string_view name) { return !name.empty() && is_plain(name, "_.-"); }

// The same expression without names, which std::regex does not know, and which group each had.
struct Stripped {
  std::string text;
  std::vector<std::string> names;
  std::vector<std::size_t> groups;
};

// How long the mark of a named group is, or 0.
std::size_t mark_of(std::string_view rest) {
  if (rest.starts_with("(?P<")) return 4;
  const bool looks_behind = rest.starts_with("(?<=") || rest.starts_with("(?<!");
  return rest.starts_with("(?<") && !looks_behind ? 3 : 0;
}

Result<Stripped> strip(std::string_view pattern) {
  Stripped result;
  std::size_t groups = 0;
  bool in_set = false;
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    if (c == '\\' && at + 1 < pattern.size()) {
      if (!in_set && pattern[at + 1] >= '1' && pattern[at + 1] <= '9')
        return refuse(Code::invalid, "a group cannot be referred back to");
      result.text += pattern.substr(at, 2);
      at += 2;
      continue;
    }
    if (c == '[') in_set = true;
    if (c == ']') in_set = false;
    const auto mark = in_set ? 0 : mark_of(pattern.substr(at));
    if (!in_set && c == '(' && (mark > 0 || !pattern.substr(at).starts_with("(?"))) ++groups;
    if (mark == 0) {
      result.text += c;
      ++at;
      continue;
    }
    const auto end = std::min(pattern.find('>', at), pattern.size());
    const auto name = pattern.substr(std::min(at + mark, end), end - std::min(at + mark, end));
    if (!is_name(name)) return refuse(Code::invalid, "a (?<name> has no name");
    result.text += '(';
    result.names.emplace_back(name);
    result.groups.push_back(groups);
    at = end + 1;
  }
  return result;
}

}  // namespace

Result<LinePattern> LinePattern::make(std::string_view pattern) {
  if (pattern.size() > pattern_bytes_max)
    return refuse(Code::invalid, "a regular expression is at most 1000 bytes long");
  auto stripped = strip(pattern);
  if (!stripped) return stripped.error();
  if (stripped->names.empty())
    return refuse(Code::invalid,
                  "no group of this regular expression has a name: write (?<name>...) around what "
                  "is to be read");
  LinePattern made;
  try {
    // The automaton follows all paths at once, so its time is bounded for every line.
    made.expression_ =
        std::regex(stripped->text, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& fault) {
    return refuse(Code::invalid,
                  std::string("this regular expression cannot be read: ") + fault.what());
  }
  made.names_ = std::move(stripped->names);
  made.groups_ = std::move(stripped->groups);
  return made;
}

bool LinePattern::search(std::string_view line, std::vector<std::string_view>& found) const {
  line = line.substr(0, line_bytes_max);
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(line.begin(), line.end(), match, expression_)) return false;
  found.clear();
  for (const auto group : groups_) {
    const auto& part = match[group];
    const auto offset = static_cast<std::size_t>(part.first - line.begin());
    found.push_back(part.matched ? line.substr(offset, static_cast<std::size_t>(part.length()))
                                 : std::string_view());
  }
  return true;
}

}  // namespace hone
