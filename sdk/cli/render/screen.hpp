// The abilities of the terminal, and colors for terminals that have them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone::cli {

struct Screen {
  int columns = 80;
  bool is_terminal = false;
  bool color = false;
  bool unicode = false;
};

enum class Ink { plain, bold, dim, good, warn, bad, accent };

// Reads the file descriptor, COLUMNS, NO_COLOR, TERM and the locale. 80 columns without a terminal.
Screen detect_screen(int descriptor, bool no_color);

// The text between the marks of its color, which Terminal::print turns into colors; unchanged on a
// screen without colors.
std::string paint(const Screen& screen, Ink ink, std::string_view text);

// Begins a mark. No byte of UTF-8, so that no text of others holds one.
inline constexpr char ink_mark = '\xff';
inline constexpr std::size_t ink_mark_bytes = 2;
// The escape sequence for the mark with which `text` begins; empty without one.
std::string_view color_code(std::string_view text);

// The ink of a state: green for done, yellow for waiting, red for failed.
Ink ink_of_state(std::string_view state);

}  // namespace hone::cli
