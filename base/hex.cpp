#include "base/hex.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"

namespace hone {

std::string hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

std::string bytes_of_hex(std::string_view digits) {
  const auto value = [](char c) { return is_digit(c) ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
  return bytes;
}

std::string hex_word(std::uint64_t number) {
  std::array<unsigned char, 8> bytes{};
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, number >>= 8U)
    *byte = static_cast<unsigned char>(number & 255U);
  return hex(bytes);
}

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> drawn(bytes);
  if (::getrandom(drawn.data(), bytes, 0) != static_cast<ssize_t>(bytes))
    throw std::runtime_error(std::string("the kernel returns no random bytes: ") +
                             std::strerror(errno));
  return hex(drawn);
}

}  // namespace hone
