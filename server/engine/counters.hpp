// What a server counts from its start on, for GET /metrics. Written by the threads that know, read
// by any: each number is exact, two of them together need not be of one instant.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schemas/types/instant.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/verdict.hpp"

namespace hone {

using Count = std::atomic<std::uint64_t>;

// Times by their length, as Prometheus wants them: how many took at most each bound, and their sum.
class Lengths {
 public:
  static constexpr std::array<std::int64_t, 14> bounds_us{
      100,    250,    500,     1'000,   2'500,   5'000,     10'000,
      25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000, 5'000'000};

  void add(Duration length) {
    std::size_t slot = 0;
    while (slot < bounds_us.size() && length.us > bounds_us[slot]) ++slot;
    counts_[slot].fetch_add(1, std::memory_order_relaxed);
    sum_us_.fetch_add(static_cast<std::uint64_t>(length.us), std::memory_order_relaxed);
  }
  // How many were no longer than bounds_us[slot]; of slot == bounds_us.size(), all.
  [[nodiscard]] std::uint64_t up_to(std::size_t slot) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i <= slot; ++i) sum += counts_[i].load(std::memory_order_relaxed);
    return sum;
  }
  [[nodiscard]] double sum_s() const { return static_cast<double>(sum_us_.load()) / 1e6; }

 private:
  std::array<Count, bounds_us.size() + 1> counts_{};
  Count sum_us_ = 0;
};

// Where the time of the engine's and the io thread goes.
enum class Part { parse, decide, append, evolve, commit, reply, render, idle };
inline constexpr std::array<std::string_view, 8> part_words{"parse",  "decide", "append", "evolve",
                                                            "commit", "reply",  "render", "idle"};

// How often each of an enum's values came.
template <class Word, std::size_t count>
class Tally {
 public:
  static constexpr std::size_t size = count;
  void add(Word word) {
    counts_[static_cast<std::size_t>(word)].fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t of(std::size_t word) const { return counts_[word].load(); }

 private:
  std::array<Count, count> counts_{};
};

struct Counters {
  std::array<Count, part_words.size()> busy_ns{};
  std::atomic<bool> leaving = false;  // told to end: nobody new should be sent here
  Count commands = 0;                 // that the engine was given
  Lengths commits;                    // of the ledger, until they are durable
  Lengths asks;                       // POST .../ask, until a trial was durable
  Lengths reports;                    // until their verdict was durable
  Tally<EndReason, static_cast<std::size_t>(EndReason::disk_limit) + 1> returns;
  Tally<VerdictReason, static_cast<std::size_t>(VerdictReason::outraced) + 1> stops;
  Tally<Failure, static_cast<std::size_t>(Failure::crash) + 1> failures;

  Count& busy(Part part) { return busy_ns[static_cast<std::size_t>(part)]; }
};

}  // namespace hone
