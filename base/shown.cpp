#include "base/shown.hpp"

#include <array>
#include <charconv>

#include "base/text.hpp"

namespace hone {
namespace {

int bytes_announced(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

std::string hex_digits(std::uint32_t code, bool capitals) {
  const std::string_view digits = capitals ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string text;
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[code >> shift & 0xFU];
  return text;
}

bool is_shown(const Rune& rune) {
  return rune.valid && !is_control_character(static_cast<char32_t>(rune.code));
}

// Replaces each character that is not shown as itself by what `escape` makes of it.
template <class Escape>
std::string with_escapes(std::string_view text, const Escape& escape) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = rune_at(text, at);
    if (is_shown(rune))
      out += text.substr(at, rune.bytes);
    else
      escape(rune, out);
    at += rune.bytes;
  }
  return out;
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error != std::errc::invalid_argument && stop == end;
}

// A spreadsheet that imports a table leaves out tabs and line ends in front of a formula.
bool begins_like_a_formula(std::string_view text) {
  constexpr std::string_view first = "=+-@\t\r\n";
  return !text.empty() && first.find(text.front()) != std::string_view::npos;
}

}  // namespace

Rune rune_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const int bytes = bytes_announced(lead);
  if (bytes == 0 || at + static_cast<std::size_t>(bytes) > text.size()) return {'?', 1, false};
  if (bytes == 1) return {lead, 1, true};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (int i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
    if ((next & 0xC0U) != 0x80U) return {'?', 1, false};
    code = (code << 6U) | (next & 0x3FU);
  }
  return {code, static_cast<std::size_t>(bytes), true};
}

std::string shown_text(std::string_view text) {
  return with_escapes(text, [](const Rune& rune, std::string& out) {
    if (!rune.valid)
      out += '?';
    else if (rune.code == '\n' || rune.code == '\t')
      out += static_cast<char>(rune.code);
    else if (rune.code < 0x20 || rune.code == 0x7F)
      out.append("^").append(1, static_cast<char>(rune.code ^ 0x40U));
    else
      out += "<U+" + hex_digits(rune.code, true) + ">";
  });
}

std::string shown_json(std::string_view json) {
  return with_escapes(json, [](const Rune& rune, std::string& out) {
    if (!rune.valid)
      out += '?';
    else if (rune.code == '\n' || rune.code == '\t')
      out += static_cast<char>(rune.code);
    else if (rune.code == '\r')  // between values, where it means as much as a blank
      out += ' ';
    else
      out += "\\u" + hex_digits(rune.code, false);
  });
}

std::string spreadsheet_cell(std::string_view text) {
  const bool runs = begins_like_a_formula(text) && !is_number(text);
  return (runs ? "'" : "") + std::string(text);
}

std::string_view without_apostrophe(std::string_view cell) {
  const bool added = cell.starts_with('\'') && begins_like_a_formula(cell.substr(1));
  return added ? cell.substr(1) : cell;
}

}  // namespace hone
