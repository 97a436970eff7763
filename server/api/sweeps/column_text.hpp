// The text of one column of /columns, and the members of the objects that its cells come from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace hone::api {

// A JSON array under construction. Values that are not numbers become codes of a list of words,
// many integers at even distances their first one and the distance, many nulls alone one null.
class ColumnText {
 public:
  void add_null() { only_nulls_ ? void(++rows_) : add_text("null"); }
  void add_text(std::string_view json);
  void add(double value);
  void add_integer(std::int64_t value);
  void add_word(std::string_view json);
  void add_plain_word(std::string_view word);  // a word without characters that JSON escapes
  // Numbers so far become words, as soon as the column has another kind of value.
  void add_value(std::string_view json);
  void fill(std::size_t rows);  // nulls up to this length

  void finish(std::size_t rows);  // after the last value: nulls up to this length
  // Preconditions of both: finish().
  [[nodiscard]] std::size_t bytes() const { return cells_.size() + words_.size() + 64; }
  void append_to(std::string& text) const;

 private:
  void append(std::int64_t value);
  void end_nulls();
  void spell_out();
  void recode();

  std::string cells_;  // each with a comma behind it; empty while the column is even
  std::size_t rows_ = 0;
  bool only_nulls_ = true;  // so far
  bool even_ = true;        // so far: integers at even distances
  std::int64_t first_ = 0;
  std::int64_t by_ = 0;
  bool coded_ = false;
  std::map<std::string, std::int64_t, std::less<>> codes_;  // by their JSON
  std::string quoted_;       // of the newest plain word: a member to keep its memory
  std::string_view newest_;  // a key of codes_
  std::int64_t newest_code_ = 0;
  std::string words_;
};

// The length of the JSON value at the start of a text that this server wrote: without blanks.
std::size_t value_length(std::string_view text);

// Calls use(name, value) for the members of a JSON object, both as JSON. A parse of the objects of
// 100,000 trials takes ten times as long.
void each_member(std::string_view object, const auto& use) {
  if (object.size() < 3 || object.front() != '{') return;
  object = object.substr(1, object.size() - 2);
  while (!object.empty()) {
    const auto name = object.substr(0, value_length(object));
    object.remove_prefix(std::min(object.size(), name.size() + 1));
    const auto value = object.substr(0, value_length(object));
    object.remove_prefix(std::min(object.size(), value.size() + 1));
    if (!value.empty()) use(name, value);
  }
}

}  // namespace hone::api
