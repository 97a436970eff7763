// What a process played, as arrays in a slot of shared memory. What is read may be from a guest on
// another host: check it after it was copied.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace hone::actors {

// Copies arrays one after another, out of the memory or into it.
class Cursor {
 public:
  Cursor(std::span<std::byte> memory, bool writes) : at_(memory.data()), writes_(writes) {}

  template <class T>
  void copy(T* values, std::size_t count) {
    if (count == 0) return;  // memcpy() takes no null pointer, which an empty array may be
    if (writes_)
      std::memcpy(at_, values, count * sizeof(T));
    else
      std::memcpy(values, at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }
  [[nodiscard]] const std::byte* at() const { return at_; }

 private:
  std::byte* at_;
  bool writes_;
};

// Of numbers that an actor sends: their squares and products are finite, too.
constexpr float moderate_max = 1e12F;

// Whether no number is larger, or none at all. As integers, because the maximum is then computed
// for several at a time.
inline bool are_moderate(std::span<const float> numbers) {
  constexpr std::uint32_t sign = 0x8000'0000U;
  std::uint32_t most = 0;
  for (const float number : numbers)
    most = std::max(most, std::bit_cast<std::uint32_t>(number) & ~sign);
  return most <= std::bit_cast<std::uint32_t>(moderate_max);
}

}  // namespace hone::actors
