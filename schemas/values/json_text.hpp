// JSON as programs print it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Returns the text as strict JSON, where only numbers and characters keep it from being that:
//
//   NaN, -Infinity, 1e400, .5, 5.     a number that JSON has not: a text in quotes, "NaN"
//   bytes that are no UTF-8           a question mark each, inside quotes
//   control characters                a blank, inside quotes
//   \d, \ud800                        an escape that JSON has not: \\d, or U+FFFD
//
// What is wrong otherwise stays wrong. Python's json module writes the first and the last of these.
std::string strict_json(std::string_view text);

}  // namespace hone
