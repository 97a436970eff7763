// Text of others as the content of a document: what a markup would read as a command is escaped.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Of an element or of an attribute in double quotes.
std::string for_html(std::string_view text);
// Of a paragraph or of a cell of a table, on one line.
std::string for_markdown(std::string_view text);
// Outside of math mode.
std::string for_latex(std::string_view text);

}  // namespace hone
