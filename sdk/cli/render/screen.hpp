// What the terminal can do, and colours that vanish where it cannot.
#pragma once

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

// Looks at the file descriptor and at COLUMNS, NO_COLOR, TERM and the locale. 80 columns where it
// is no terminal.
Screen look_at(int descriptor, bool no_color);

// The text in its colour; unchanged on a screen without.
std::string paint(const Screen& screen, Ink ink, std::string_view text);

// The ink of a state's word: green for done, yellow for waiting, red for failed.
Ink ink_of_state(std::string_view state);

}  // namespace hone::cli
