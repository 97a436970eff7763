#include "server/api/sweeps/column_text.hpp"

#include <charconv>
#include <utility>

#include "base/ascii.hpp"

namespace hone::api {
namespace {

constexpr std::size_t short_rows_least = 100;  // of a column that is not spelled out

std::size_t string_length(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return text.size();
}

std::size_t nested_length(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') at += string_length(text.substr(at)) - 1;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && --depth == 0) return at + 1;
  }
  return text.size();
}

}  // namespace

std::size_t value_length(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '"') return string_length(text);
  if (text[0] == '[' || text[0] == '{') return nested_length(text);
  return std::min(text.size(), text.find(','));
}

void ColumnText::add_text(std::string_view json) {
  if (only_nulls_) end_nulls();
  if (even_) spell_out();
  ++rows_;
  cells_.append(json).push_back(',');
}

void ColumnText::add(double value) {
  char digits[32];
  add_text({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
}

void ColumnText::add_integer(std::int64_t value) {
  if (only_nulls_) end_nulls();
  if (rows_ == 0) first_ = value;
  if (rows_ == 1) by_ = value - first_;
  if (even_ && value != first_ + static_cast<std::int64_t>(rows_) * by_) spell_out();
  ++rows_;
  if (!even_) append(value);
}

void ColumnText::add_word(std::string_view json) {
  coded_ = true;
  if (json == newest_) return add_integer(newest_code_);
  auto found = codes_.find(json);
  if (found == codes_.end()) {
    found = codes_.emplace(json, static_cast<std::int64_t>(codes_.size())).first;
    words_ += (words_.empty() ? "" : ",") + std::string(json);
  }
  newest_ = found->first;
  newest_code_ = found->second;
  add_integer(newest_code_);
}

void ColumnText::add_plain_word(std::string_view word) {
  if (newest_.size() == word.size() + 2 && newest_.substr(1, word.size()) == word)
    return add_integer(newest_code_);
  quoted_.assign("\"").append(word).append("\"");
  add_word(quoted_);
}

void ColumnText::add_value(std::string_view json) {
  if (json == "null") return add_null();
  if (only_nulls_) end_nulls();
  const bool number = json[0] == '-' || is_digit(json[0]);
  if (!coded_ && !number) recode();
  coded_ ? add_word(json) : add_text(json);
}

void ColumnText::fill(std::size_t rows) {
  while (rows_ < rows) add_null();
}

void ColumnText::finish(std::size_t rows) {
  fill(rows);
  if (only_nulls_ && rows_ < short_rows_least) end_nulls();
  if (!only_nulls_ && even_ && (coded_ || rows_ < short_rows_least)) spell_out();
}

void ColumnText::append_to(std::string& text) const {
  if (only_nulls_) {
    text += "null";
    return;
  }
  if (even_) {
    text += "{\"first\":" + std::to_string(first_) + ",\"by\":" + std::to_string(by_) + "}";
    return;
  }
  if (!words_.empty()) text.append("{\"words\":[").append(words_).append("],\"codes\":");
  text.append("[").append(cells_, 0, cells_.empty() ? 0 : cells_.size() - 1);
  text += words_.empty() ? "]" : "]}";
}

void ColumnText::append(std::int64_t value) {
  char digits[32];
  char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  *end = ',';
  cells_.append(digits, static_cast<std::size_t>(end + 1 - digits));
}

// Writes the nulls so far, before another value.
void ColumnText::end_nulls() {
  only_nulls_ = false;
  if (rows_ == 0) return;
  even_ = false;
  for (std::size_t i = 0; i < rows_; ++i) cells_ += "null,";
}

// Writes the cells that were even so far.
void ColumnText::spell_out() {
  even_ = false;
  for (std::size_t i = 0; i < rows_; ++i) append(first_ + static_cast<std::int64_t>(i) * by_);
}

void ColumnText::recode() {
  const std::string numbers = std::exchange(cells_, {});
  const std::size_t count = std::exchange(rows_, 0);
  std::string_view rest = numbers;
  coded_ = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto cell = rest.substr(0, rest.find(','));
    rest.remove_prefix(cell.size() + 1);
    cell == "null" ? add_null() : add_word(cell);
  }
}

}  // namespace hone::api
