// Text of others as the content of a document: what a markup would read as a command is escaped.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Escapes the text of an element or of an attribute in double quotes.
std::string for_html(std::string_view text);
// Escapes the text of a paragraph or of a cell of a table, on one line.
std::string for_markdown(std::string_view text);
// Escapes text outside of math mode.
std::string for_latex(std::string_view text);

}  // namespace hone
