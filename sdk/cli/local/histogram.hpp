// A histogram of times in fixed space with a relative error of 1.6 %. Plain memory, so that
// processes can share it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hone::load {

class Histogram {
 public:
  void add(std::int64_t microseconds) {
    const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(microseconds, 0));
    ++counts_[std::min(slot_of(us), counts_.size() - 1)];
    ++total_;
    longest_ = std::max(longest_, us);
  }

  void add(const Histogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
    longest_ = std::max(longest_, other.longest_);
  }

  [[nodiscard]] std::uint64_t count() const { return total_; }
  [[nodiscard]] double max_ms() const { return static_cast<double>(longest_) / 1e3; }

  // The time that `share` (0 to 1) of the operations did not exceed; 0 without operations.
  [[nodiscard]] double quantile_ms(double share) const {
    const double wanted = share * static_cast<double>(total_);
    std::uint64_t seen = 0;
    for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
      seen += counts_[slot];
      if (seen > 0 && static_cast<double>(seen) >= wanted)
        return std::min(static_cast<double>(top_of(slot)) / 1e3, max_ms());
    }
    return 0;
  }

 private:
  static constexpr std::size_t fine = 64;  // slots for each doubling
  static constexpr std::size_t doublings = 26;

  static std::size_t slot_of(std::uint64_t us) {
    if (us < 2 * fine) return static_cast<std::size_t>(us);
    const auto shift = static_cast<std::size_t>(std::bit_width(us)) - 7;
    return shift * fine + static_cast<std::size_t>(us >> shift);
  }
  static std::uint64_t top_of(std::size_t slot) {
    if (slot < 2 * fine) return slot;
    const std::size_t shift = slot / fine - 1;
    return ((slot - shift * fine + 1) << shift) - 1;
  }

  std::array<std::uint64_t, fine * doublings> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t longest_ = 0;
};

}  // namespace hone::load
