// Text measured in terminal columns rather than bytes.
#pragma once

#include <string>
#include <string_view>

namespace hone::cli {

// Counts wide East Asian characters twice and combining marks not at all.
int display_width(std::string_view text);

// Cuts the text to `columns`, with "…" ("~" without unicode) at the cut.
std::string truncated(std::string_view text, int columns, bool unicode);

// Replaces control characters by blanks, because names and logs may hold escape sequences, and
// invalid UTF-8 by '?'.
std::string printable(std::string_view text);

// For several lines of foreign output. Keeps lines and tabs, drops colours, begins a line at each
// carriage return, and shows every other control character: "^[" for an escape, "<U+202E>" for a
// character that turns the direction of the text.
std::string printable_log(std::string_view text);

std::string padded_left(std::string text, int columns);
std::string padded_right(std::string text, int columns);

// Breaks the text at blanks into lines of at most `columns`.
std::string wrapped(std::string_view text, int columns, std::string_view indent);

// Wraps each line separately and keeps lines that begin with a blank, as those of a log. Replaces
// control characters by blanks.
std::string paragraphs(std::string_view text, int columns);

}  // namespace hone::cli
