// Vectors of floats that start on a cache line, as the kernels of this folder require.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace hone::dense {

// Floats of a cache line and of the widest register. Rows of matrices are padded to it.
inline constexpr std::size_t line_floats = 16;

constexpr std::size_t padded(std::size_t count) {
  return (count + line_floats - 1) / line_floats * line_floats;
}

template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class Other>
  explicit LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), alignment_));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment_); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }

 private:
  static constexpr std::align_val_t alignment_{line_floats * sizeof(float)};
};

using Floats = std::vector<float, LineAllocator<float>>;
using Numbers = std::vector<std::int32_t, LineAllocator<std::int32_t>>;

}  // namespace hone::dense
