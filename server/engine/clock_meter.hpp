// Measures how much time a thread spends on which part of its work.
#pragma once

#include <chrono>

#include "server/engine/counters.hpp"
#include "server/engine/meter.hpp"

namespace hone {

// Counts the time between two enter() calls for the part of the first. For one thread.
class ClockMeter final : public Meter {
 public:
  explicit ClockMeter(Counters& counters) : counters_(counters) {}

  void enter(Part part) override {
    const auto now = Clock::now();
    const auto spent = now - since_;
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
    counters_.busy(part_).fetch_add(static_cast<std::uint64_t>(ns), std::memory_order_relaxed);
    if (part_ == Part::commit) counters_.commits.add(Duration{ns / 1000});
    part_ = part;
    since_ = now;
  }

  void happened(const EventBody& event) override;
  void took(std::size_t commands) override {
    counters_.commands.fetch_add(commands, std::memory_order_relaxed);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Counters& counters_;
  Part part_ = Part::idle;
  Clock::time_point since_ = Clock::now();
};

// Counts its lifetime for a part: for a thread that switches between parts.
class Spending {
 public:
  Spending(Counters& counters, Part part) : spent_(counters.busy(part)) {}
  ~Spending() {
    const auto time = std::chrono::steady_clock::now() - since_;
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
    spent_.fetch_add(static_cast<std::uint64_t>(ns), std::memory_order_relaxed);
  }
  Spending(const Spending&) = delete;
  Spending& operator=(const Spending&) = delete;

 private:
  Count& spent_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace hone
