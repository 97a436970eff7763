#include "base/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace hone {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_text(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto piece = bytes.substr(at, 3);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8U | (i < piece.size() ? static_cast<unsigned char>(piece[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= piece.size() ? alphabet[group >> (18 - 6 * i) & 0x3FU] : '=';
  }
  return text;
}

std::optional<std::string> base64_bytes(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const auto piece = text.substr(at, std::min(text.substr(at, 4).find('='), std::size_t{4}));
    if (piece.size() < 2) return std::nullopt;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto digit = i < piece.size() ? alphabet.find(piece[i]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      group = group << 6U | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t i = 0; i + 1 < piece.size(); ++i)
      bytes += static_cast<char>(group >> (16 - 8 * i) & 0xFFU);
  }
  // Rejects padding inside the text and bits behind its end.
  if (base64_text(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace hone
