// Bytes as lower-case hex digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hone {

std::string hex(std::span<const unsigned char> bytes);
std::string hex_word(std::uint64_t number);  // 16 digits
// The bytes that hex() wrote. Precondition: pairs of lower-case hex digits.
std::string bytes_of_hex(std::string_view digits);

// `bytes` random bytes of the kernel, as hex. Throws std::runtime_error when the kernel has none.
std::string random_hex(std::size_t bytes);

}  // namespace hone
