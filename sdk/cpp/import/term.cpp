#include "sdk/cpp/import/term.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/ascii.hpp"
#include "schemas/values/number.hpp"

namespace hone {
namespace {

constexpr int term_depth_max = 32;
constexpr std::size_t term_keys_max = 1000;  // each is sought among those before it
constexpr std::string_view special = ",()[]{}";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_name(std::string_view text) {
  return !text.empty() && is_plain(text, "_.") && (is_letter(text.front()) || text.front() == '_');
}

// true, 3, 1e-4 or a word.
Json literal(std::string_view word) {
  if (word == "true" || word == "True") return true;
  if (word == "false" || word == "False") return false;
  if (word == "null" || word == "None") return nullptr;
  const auto* const end = word.data() + word.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(word.data(), end, whole);
      read.ec == std::errc{} && read.ptr == end)
    return whole;
  if (const auto number = read_finite_number(word)) return *number;
  return std::string(word);
}

class TermParser {
 public:
  explicit TermParser(std::string_view text) : text_(text) {}

  Result<std::vector<Term>> all() {
    std::vector<Term> terms;
    while (true) {
      auto term = read(0);
      if (!term) return term.error();
      terms.push_back(*std::move(term));
      skip_space();
      if (at_ == text_.size()) return terms;
      if (!accept(',')) return bad("a comma is missing");
    }
  }

 private:
  Result<Term> read(int depth) {
    if (depth > term_depth_max) return bad("nested too deeply");
    skip_space();
    if (at_ == text_.size()) return bad("a value is missing");
    const char c = text_[at_];
    if (c == '"' || c == '\'') return quoted(c);
    if (c == '[' || c == '{') return container(depth);
    return word(depth);
  }

  Result<Term> quoted(char quote) {
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    if (!accept(quote)) return bad("a quotation mark is missing");
    return Term{.value = value};
  }

  // A list, or an object.
  Result<Term> container(int depth) {
    const bool list = text_[at_++] == '[';
    const char close = list ? ']' : '}';
    Json value = list ? Json::array() : Json::object();
    for (bool first = true; !accept(close); first = false) {
      if (!first && !accept(',')) return bad("a comma or a bracket is missing");
      if (!first && accept(close)) break;  // after a last comma
      if (!list && value.size() >= term_keys_max) return bad("an object of more than 1000 keys");
      std::string key;
      if (!list) {
        const auto colon = text_.find(':', at_);
        if (colon == std::string_view::npos) return bad("a colon is missing");
        key = trimmed(text_.substr(at_, colon - at_));
        at_ = colon + 1;
      }
      auto item = read(depth + 1);
      if (!item) return item;
      if (!item->call.empty()) return bad("a call inside of a list");
      list ? value.push_back(item->value) : void(value[key] = item->value);
    }
    return Term{.value = std::move(value)};
  }

  // A literal without quotes, or a call.
  Result<Term> word(int depth) {
    const auto begin = at_;
    while (at_ < text_.size() && special.find(text_[at_]) == std::string_view::npos) ++at_;
    const auto found = trimmed(text_.substr(begin, at_ - begin));
    if (at_ == text_.size() || text_[at_] != '(') {
      if (found.empty()) return bad("a value is missing");
      return Term{.value = literal(found)};
    }
    if (!is_name(found)) return bad("'" + std::string(found) + "' is no name of a function");
    ++at_;
    Term call{.call = std::string(found)};
    for (bool first = true; !accept(')'); first = false) {
      if (!first && !accept(',')) return bad("a comma or ')' is missing");
      if (!first && accept(')')) break;
      const std::string name = argument_name();
      auto argument = read(depth + 1);
      if (!argument) return argument;
      call.arguments.emplace_back(name, *std::move(argument));
    }
    return call;
  }

  // `step` of step=0.5; empty where there is none.
  std::string argument_name() {
    const auto end = text_.find_first_of("=,()[]{}\"'", at_);
    if (end == std::string_view::npos || text_[end] != '=') return {};
    const auto name = trimmed(text_.substr(at_, end - at_));
    if (!is_name(name)) return {};
    at_ = end + 1;
    return std::string(name);
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] Error bad(const std::string& why) const {
    return refuse(Code::invalid, why + ", at character " + std::to_string(at_ + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const Term* Term::argument(std::string_view name, std::size_t place) const {
  std::size_t position = 0;
  for (const auto& [given, term] : arguments) {
    if (given.empty() ? position == place : given == name) return &term;
    if (given.empty()) ++position;
  }
  return nullptr;
}

Result<std::vector<Term>> parse_terms(std::string_view text) {
  if (text.size() > term_text_max) return refuse(Code::invalid, "longer than 64 KiB");
  return TermParser(text).all();
}

}  // namespace hone
