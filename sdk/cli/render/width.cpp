#include "sdk/cli/render/width.hpp"

#include <algorithm>
#include <cstdint>

#include "base/shown.hpp"
#include "base/text.hpp"

namespace hone::cli {
namespace {

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
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (const auto colour = colour_sequence(text.substr(at)); colour > 0) {
      at += colour;
      continue;
    }
    if (text[at] != '\r')
      plain += text[at];
    else if (!text.substr(at + 1).starts_with('\n'))
      plain += '\n';
    ++at;
  }
  return shown_text(plain);
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
