// Shared by the fuzz targets. A target reads one input and returns; a broken promise aborts
// (base/expect.hpp), and so do the sanitizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/expect.hpp"

namespace hone::fuzz {

// Each target defines it.
void feed(const std::uint8_t* data, std::size_t size);

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The first line, without its end, and all that follows it.
inline std::pair<std::string_view, std::string_view> first_line(std::string_view text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end), text.substr(end + 1)};
}

// Reads choices from the input, one after the other; zeros at its end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool over() const { return at_ >= size_; }
  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  std::size_t below(std::size_t bound) { return byte() % bound; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace hone::fuzz
