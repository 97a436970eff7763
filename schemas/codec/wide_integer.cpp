#include "schemas/codec/wide_integer.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone {
namespace {

// Where a scan of a JSON text is: the members and elements that it is inside of.
class Inside {
 public:
  void mark(char c) {
    if (c == '{' || c == '[') parts_.push_back({c == '{', c == '{', 0, {}});
    if (parts_.empty()) return;
    Part& part = parts_.back();
    if (c == '}' || c == ']') parts_.pop_back();
    if (c == ':') part.awaits_key = false;
    if (c == ',') part.awaits_key = part.is_object, ++part.index;
  }
  void text(std::string_view quoted) {
    if (!parts_.empty() && parts_.back().awaits_key) parts_.back().key = quoted;
  }
  [[nodiscard]] std::string pointer() const {
    std::string pointer;
    for (const Part& part : parts_)
      pointer += "/" + (part.is_object ? escaped(part.key) : std::to_string(part.index));
    return pointer;
  }

 private:
  struct Part {
    bool is_object, awaits_key;
    std::size_t index;
    std::string_view key;  // with its quotes
  };
  static std::string escaped(std::string_view quoted) {
    const auto key = parse_json(quoted);
    std::string out;
    for (const char c : key && key->is_string() ? key->get<std::string>() : std::string())
      out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
  }
  std::vector<Part> parts_;
};

// The end of the string that begins at `at`, behind its quotes.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

bool is_wide(std::string_view number) {
  std::int64_t fits = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), fits);
  const bool is_whole = read.ptr == number.data() + number.size();
  return is_whole && read.ec == std::errc::result_out_of_range;
}

Error too_wide(std::string_view number, std::string at) {
  constexpr std::size_t shown_max = 40;
  const std::string shown =
      std::string(number.substr(0, shown_max)) + (number.size() > shown_max ? "..." : "");
  return refuse(Code::invalid,
                "the number " + shown +
                    " does not fit 64 bits: write it with a point or an exponent, or as a text",
                std::move(at));
}

}  // namespace

std::optional<Error> wide_integer(std::string_view text) {
  Inside inside;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      const auto end = end_of_string(text, at);
      inside.text(text.substr(at, end - at));
      at = end;
      continue;
    }
    const auto number = text.substr(at, text.find_first_not_of("+-.0123456789eE", at) - at);
    if (is_wide(number)) return too_wide(number, inside.pointer());
    if (number.empty()) inside.mark(text[at]);
    at += std::max<std::size_t>(1, number.size());
  }
  return std::nullopt;
}

}  // namespace hone
