#include "schemas/values/json_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/ascii.hpp"
#include "schemas/values/number.hpp"

namespace hone {
namespace {

// A number as JSON's grammar has it: from_chars accepts more, such as 5. and .5 and 007.
bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) return false;
  if (text.size() > 1 && text.front() == '0' && is_digit(text[1])) return false;
  const auto point = text.find('.');
  const bool fraction = point == std::string_view::npos || is_digit(text[point + 1]);
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return fraction && read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

// The length of the character that valid UTF-8 begins with; 0 if it is invalid.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || size > text.size()) return 0;
  for (std::size_t at = 1; at < size; ++at)
    if ((byte(at) & 0xC0U) != 0x80U) return 0;
  const unsigned second = size > 2 ? byte(1) : 0x80;
  const bool too_long = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool too_far = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return too_long || too_far ? 0 : size;
}

// The code unit of an escape such as \u00e4; -1 if it is none.
std::int32_t code_unit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
  std::int32_t unit = 0;
  const auto read = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  return read.ec == std::errc{} && read.ptr == text.data() + 6 && unit >= 0 ? unit : -1;
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : rest_(text) { out_.reserve(text.size() + 16); }

  std::string rewrite() && {
    while (!rest_.empty()) quoted_ ? take_quoted() : take_bare();
    return std::move(out_);
  }

 private:
  void copy(std::size_t size) {
    out_ += rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  void replace(std::size_t size, std::string_view by) {
    out_ += by;
    rest_.remove_prefix(size);
  }

  void take_bare() {
    const auto size = rest_.find_first_of(" \t\r\n\",:[]{}");
    if (size == 0) {
      quoted_ = rest_.front() == '"';
      return copy(1);
    }
    const auto word = rest_.substr(0, size);
    const bool is_foreign = !is_json_number(word) && read_number(word);
    if (is_foreign) out_ += '"';
    copy(word.size());
    if (is_foreign) out_ += '"';
  }

  void take_quoted() {
    if (rest_.front() == '\\') return take_escape();
    if (rest_.front() == '"') quoted_ = false;
    if (static_cast<unsigned char>(rest_.front()) < 0x20) return replace(1, " ");
    const auto size = character_size(rest_);
    size == 0 ? replace(1, "?") : copy(size);
  }

  void take_escape() {
    constexpr std::string_view known = "\"\\/bfnrt";
    if (rest_.size() > 1 && known.find(rest_[1]) != std::string_view::npos) return copy(2);
    const auto unit = code_unit(rest_);
    if (unit < 0) return replace(1, "\\\\");
    const auto next = code_unit(rest_.substr(6));
    const bool leads = unit >= 0xD800 && unit < 0xDC00, follows = unit >= 0xDC00 && unit < 0xE000;
    if (leads && next >= 0xDC00 && next < 0xE000) return copy(12);
    leads || follows ? replace(6, "\\ufffd") : copy(6);
  }

  std::string_view rest_;
  std::string out_;
  bool quoted_ = false;
};

}  // namespace

std::string strict_json(std::string_view text) { return Rewriter(text).rewrite(); }

}  // namespace hone
