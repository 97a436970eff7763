// How the numbers of an observation are stored in its row of floats.
#pragma once

#include <cstdint>

namespace hone::envs {

enum class Storage {
  floats,
  bytes,  // four in each float, 0 for 0 to 255 for 1: a quarter of the memory
};

inline constexpr float byte_scale = 1.0F / 255.0F;

constexpr int bytes_each(Storage storage) {
  return storage == Storage::bytes ? 1 : static_cast<int>(sizeof(float));
}

// How many floats a row of `numbers` takes.
constexpr int row_floats(Storage storage, int numbers) {
  constexpr int each = static_cast<int>(sizeof(float));
  return (numbers * bytes_each(storage) + each - 1) / each;
}

// Writes the numbers of a row to `out` as floats.
inline void read_numbers(Storage storage, const float* row, int numbers, float* out) {
  if (storage == Storage::floats) {
    for (int i = 0; i < numbers; ++i) out[i] = row[i];
    return;
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(row);
  for (int i = 0; i < numbers; ++i) out[i] = byte_scale * bytes[i];
}

}  // namespace hone::envs
