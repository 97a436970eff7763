// Text measured in terminal columns rather than bytes.
#pragma once

#include <string>
#include <string_view>

namespace hone::cli {

// UTF-8 code points, wide East Asian ones counted twice, combining marks not at all.
int display_width(std::string_view text);

// At most `columns` wide; what is cut off is shown by "…" ("~" without unicode).
std::string truncated(std::string_view text, int columns, bool unicode);

// Control characters (a name or a log may hold escape sequences) become blanks; invalid UTF-8
// becomes '?'.
std::string printable(std::string_view text);

std::string padded_left(std::string text, int columns);
std::string padded_right(std::string text, int columns);

// Lines of at most `columns`, broken at blanks.
std::string wrapped(std::string_view text, int columns, std::string_view indent);

// Each line wrapped by itself; those that begin with a blank (of a log, say) are left as they are.
// Control characters become blanks.
std::string paragraphs(std::string_view text, int columns);

}  // namespace hone::cli
