// What a server counts since its start, for GET /metrics. Any thread may read; each number is
// exact, but two numbers may be of different instants.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schemas/codec/words.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/verdict.hpp"

namespace hone {

using Count = std::atomic<std::uint64_t>;

// A histogram of durations as Prometheus wants it: the count up to each bound, and the sum.
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
  // The number of durations up to bounds_us[slot]; all of them for slot == bounds_us.size().
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

// What the engine thread and the io thread spend their time on.
enum class Part { parse, decide, append, evolve, commit, reply, render, idle };
inline constexpr std::array<std::string_view, 8> part_words{"parse",  "decide", "append", "evolve",
                                                            "commit", "reply",  "render", "idle"};

// Counts the values of an enum: one count for each of its words.
template <class Word>
class Tally {
 public:
  static constexpr std::size_t size = words_of<Word>.size();
  void add(Word word) {
    counts_[static_cast<std::size_t>(word)].fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t of(std::size_t word) const { return counts_[word].load(); }

 private:
  std::array<Count, size> counts_{};
};

struct Counters {
  std::array<Count, part_words.size()> busy_ns{};
  std::atomic<bool> leaving = false;  // shutting down: send no new clients here
  Count commands = 0;                 // taken by the engine
  Lengths commits;                    // of the ledger, until they are durable
  Lengths asks;                       // POST .../ask, until the trial is durable
  Lengths reports;                    // until the verdict is durable
  Tally<EndReason> returns;
  Tally<VerdictReason> stops;
  Tally<Failure> failures;

  Count& busy(Part part) { return busy_ns[static_cast<std::size_t>(part)]; }
};

}  // namespace hone
