#include "sdk/cli/render/width.hpp"

#include <algorithm>
#include <cstdint>

#include "base/text.hpp"

namespace hone::cli {
namespace {

struct Rune {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = true;
};

int bytes_announced(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

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

int columns_of(std::uint32_t code) {
  if (code >= 0x300 && code <= 0x36F) return 0;
  const bool wide = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
                    (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
                    (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
                    (code >= 0x1F300 && code <= 0x1FAFF) || (code >= 0x20000 && code <= 0x3FFFD);
  return wide ? 2 : 1;
}

// The length of a sequence that sets colours (ESC [ digits and semicolons m); 0 if there is none.
std::size_t colour_sequence(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

std::string code_text(std::uint32_t code) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[code >> shift & 0xFU];
  return text;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = rune_at(text, at);
    width += columns_of(rune.code);
    at += rune.bytes;
  }
  return width;
}

std::string truncated(std::string_view text, int columns, bool unicode) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns <= 0) return {};
  int width = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Rune rune = rune_at(text, at);
    if (width + columns_of(rune.code) > columns - 1) break;
    width += columns_of(rune.code);
    at += rune.bytes;
  }
  return std::string(text.substr(0, at)).append(unicode ? "…" : "~");
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = rune_at(text, at);
    if (!rune.valid)
      out += '?';
    else if (is_control_character(rune.code))
      out += ' ';
    else
      out += text.substr(at, rune.bytes);
    at += rune.bytes;
  }
  return out;
}

std::string printable_log(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (const auto colour = colour_sequence(text.substr(at)); colour > 0) {
      at += colour;
      continue;
    }
    const Rune rune = rune_at(text, at);
    if (text[at] == '\n' || text[at] == '\t')
      out += text[at];
    else if (text[at] == '\r')
      out += text.substr(at + 1).starts_with('\n') ? "" : "\n";
    else if (!rune.valid)
      out += '?';
    else if (rune.code < 0x20 || rune.code == 0x7F)
      out.append("^").append(1, static_cast<char>(rune.code ^ 0x40U));
    else if (is_control_character(rune.code))
      out += "<U+" + code_text(rune.code) + ">";
    else
      out += text.substr(at, rune.bytes);
    at += rune.bytes;
  }
  return out;
}

std::string padded_left(std::string text, int columns) {
  const int missing = std::max(0, columns - display_width(text));
  return std::string(static_cast<std::size_t>(missing), ' ') + std::move(text);
}

std::string padded_right(std::string text, int columns) {
  const int missing = std::max(0, columns - display_width(text));
  return std::move(text) + std::string(static_cast<std::size_t>(missing), ' ');
}

std::string wrapped(std::string_view text, int columns, std::string_view indent) {
  std::string out(indent);
  int used = display_width(indent);
  bool fresh = true;  // nothing on this line yet
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const int need = display_width(word) + (fresh ? 0 : 1);
    if (!fresh && used + need > columns) {
      out.append("\n").append(indent);
      used = display_width(indent);
      fresh = true;
    }
    if (!fresh) out += ' ';
    out += word;
    used += display_width(word) + (fresh ? 0 : 1);
    fresh = false;
  }
  return out;
}

std::string paragraphs(std::string_view text, int columns) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = printable(text.substr(at, end - at));
    out += (line.starts_with(' ') ? line : wrapped(line, columns, "")) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace hone::cli
