#include "base/text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace hone {
namespace {

std::string formatted(const char* pattern, double value) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), pattern, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

// 1.234e-05 -> 1.234e-5
std::string without_exponent_zeros(std::string text) {
  const auto e = text.find('e');
  if (e == std::string::npos) return text;
  auto digits = e + 1;
  if (text[digits] == '+') text.erase(digits, 1);
  if (text[digits] == '-') ++digits;
  while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
  return text;
}

}  // namespace

std::string number_text(double value) { return formatted("%.6g", value); }

std::string short_number_text(double value) {
  if (value == 0) return "0";
  const double size = std::fabs(value);
  if (size >= 1e4 && size < 1e9) return formatted("%.0f", value);
  return without_exponent_zeros(formatted("%.4g", value));
}

std::string plain_number_text(double value) {
  std::array<char, 400> text{};
  auto* end = text.data() + text.size();
  const bool whole = std::abs(value) < 9e15 && std::floor(value) == value;
  const auto written = whole ? std::to_chars(text.data(), end, static_cast<std::int64_t>(value))
                             : std::to_chars(text.data(), end, value, std::chars_format::fixed);
  return {text.data(), written.ptr};
}

std::string exact_number_text(double value) { return formatted("%.17g", value); }

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += cells[i];
      continue;
    }
    line += '"';
    for (const char c : cells[i]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::vector<std::string> csv_cells(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  return cells;
}

bool is_control_character(char32_t code) {
  const auto within = [code](char32_t first, char32_t last) {
    return first <= code && code <= last;
  };
  return code < 0x20 || within(0x7f, 0x9f) || code == 0x61c || within(0x200e, 0x200f) ||
         within(0x2028, 0x202e) || within(0x2066, 0x2069) || code == 0xfeff;
}

bool has_control_characters(std::string_view text) {
  char32_t code = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool continues = (byte & 0xc0U) == 0x80U;
    if (continues)
      code = (code << 6U) | (byte & 0x3fU);
    else
      code = byte < 0x80   ? byte
             : byte < 0xe0 ? byte & 0x1fU
             : byte < 0xf0 ? byte & 0xfU
                           : byte & 7U;
    const bool last =
        i + 1 == text.size() || (static_cast<unsigned char>(text[i + 1]) & 0xc0U) != 0x80U;
    if (last && is_control_character(code)) return true;
  }
  return false;
}

}  // namespace hone
