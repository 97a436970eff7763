// FNV-1a with 64 bits (Fowler, Noll and Vo): the same on every machine and in every version.
// Against mistakes, not against people.
#pragma once

#include <cstdint>
#include <string_view>

namespace hone {

class Fnv1a {
 public:
  constexpr void add(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3ULL; }
  constexpr void add(std::string_view bytes) {
    for (const char c : bytes) add(static_cast<unsigned char>(c));
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace hone
