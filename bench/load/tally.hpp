// The counters of one client process, in memory shared with the measuring process.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "sdk/cli/local/histogram.hpp"

namespace hone::load {

enum class Operation { ask, report, tell, join, lease, beat };
constexpr std::array operation_names{"ask", "report", "tell", "join", "lease", "beat"};

// Other processes may read the atomics at any time, the histograms only after the client has ended.
struct Tally {
  std::array<Histogram, operation_names.size()> times;
  std::atomic<std::uint64_t> operations = 0;
  std::atomic<std::uint64_t> trials = 0;
  std::atomic<std::uint64_t> ready = 0;  // connections, or workers that hold a lease
  std::atomic<std::uint64_t> errors = 0;
  std::array<char, 400> first_error{};
  double cpu_s = 0;

  Histogram& of(Operation operation) { return times[static_cast<std::size_t>(operation)]; }
  [[nodiscard]] const Histogram& of(Operation operation) const {
    return times[static_cast<std::size_t>(operation)];
  }
  void fail(std::string_view why);
};

// Shared between this process and its forked children.
class SharedTallies {
 public:
  static Result<SharedTallies> make(std::size_t count);
  [[nodiscard]] std::size_t size() const { return count_; }
  Tally& operator[](std::size_t i) { return tallies_.get()[i]; }
  const Tally& operator[](std::size_t i) const { return tallies_.get()[i]; }

  using Counter = std::atomic<std::uint64_t> Tally::*;
  [[nodiscard]] std::uint64_t sum(Counter counter) const;
  [[nodiscard]] Histogram times(Operation operation) const;
  // The first error of any client; empty without errors.
  [[nodiscard]] std::string_view first_error() const;

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(Tally* tallies) const;
  };
  SharedTallies(Tally* tallies, std::size_t count, std::size_t bytes)
      : tallies_(tallies, Unmap{bytes}), count_(count) {}
  std::unique_ptr<Tally, Unmap> tallies_;
  std::size_t count_;
};

}  // namespace hone::load
