// Text of others as a terminal or a spreadsheet may get it: both obey parts of what they show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

// A character of UTF-8. Each invalid byte is one, too.
struct Rune {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = true;
};
Rune rune_at(std::string_view text, std::size_t at);

// Keeps line ends and tabs; shows every other control character instead of passing it on: "^[" for
// an escape, "<U+202E>" for one that turns the direction of the text. Invalid bytes become '?'.
std::string shown_text(std::string_view text);

// The same JSON document, with the control characters of its strings as \u escapes. Text that is
// not JSON keeps no control characters either.
std::string shown_json(std::string_view json);

// A cell of a table: with an apostrophe in front of a text that a spreadsheet would run as a
// formula. Numbers stay as they are.
std::string spreadsheet_cell(std::string_view text);
// The text of such a cell.
std::string_view without_apostrophe(std::string_view cell);

}  // namespace hone
