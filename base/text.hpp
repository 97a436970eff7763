// Numbers and words as text. Decimal points are points: the programs keep the C locale.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hone {

// For sentences: six significant digits. 0.001, 112.5, 1.5e-07.
std::string number_text(double value);
// For tables: four significant digits, whole numbers below 1e9 in full. 471.5, 123457, 1.2e-5.
std::string short_number_text(double value);
// For formats without exponents: the shortest that reads back the same. 3, 0.25, 0.00000015.
std::string plain_number_text(double value);
// For digests: 17 significant digits, so that equal texts are equal numbers.
std::string exact_number_text(double value);

// "1 report", "2 reports".
template <class Number>
std::string counted(Number count, std::string_view noun) {
  std::string words;
  if constexpr (std::is_integral_v<Number>)
    words = std::to_string(count);
  else
    words = number_text(count);
  words.append(" ").append(noun);
  return count == 1 ? words : words + "s";
}

// "say \"this\"": in double quotes, with \ before each " and each \ inside.
std::string quoted_text(std::string_view text);

// Whether the character is not shown as itself: a control character, a line or paragraph separator,
// or one that changes the direction of the text around it (U+202E shows "gnp.exe" as "exe.png").
bool is_control_character(char32_t code);
// Whether valid UTF-8 has such a character.
bool has_control_characters(std::string_view text);

// A line of CSV, quoted as in RFC 4180, but ended by a bare newline, which the tools of a shell
// expect.
std::string csv_line(const std::vector<std::string>& cells);
// The cells of such a line, without line breaks in them.
std::vector<std::string> csv_cells(std::string_view line);

}  // namespace hone
