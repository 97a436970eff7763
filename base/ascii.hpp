// Kinds of ASCII characters. Unlike <cctype>, independent of the locale and defined for each char.
#pragma once

#include <algorithm>
#include <string_view>

namespace hone {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

// Whether the text has only digits, and at least one.
constexpr bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}
// Whether the text has only letters, digits and characters of `signs`.
constexpr bool is_plain(std::string_view text, std::string_view signs) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter_or_digit(c) || signs.find(c) != std::string_view::npos;
  });
}

}  // namespace hone
