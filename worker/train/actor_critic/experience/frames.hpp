// The frames of a phase, shared out among the agents.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hone::ga3c {

class FrameCounter {
 public:
  void open_until(std::int64_t end) {
    end_ = end;
    stopped_.store(false, std::memory_order_relaxed);
  }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

  // Claims up to steps_max steps of `columns` environments; 0 when the phase is over. The last
  // claim may pass the end by less than `columns` frames, as a group steps together.
  int claim(int columns, int steps_max) {
    if (stopped_.load(std::memory_order_relaxed)) return 0;
    auto claimed = claimed_.load(std::memory_order_relaxed);
    for (;;) {
      if (claimed >= end_) return 0;
      const auto steps =
          std::min<std::int64_t>(steps_max, (end_ - claimed + columns - 1) / columns);
      if (claimed_.compare_exchange_weak(claimed, claimed + steps * columns,
                                         std::memory_order_relaxed))
        return static_cast<int>(steps);
    }
  }

  [[nodiscard]] std::int64_t claimed() const { return claimed_.load(std::memory_order_relaxed); }
  void restore(std::int64_t claimed) { claimed_.store(claimed, std::memory_order_relaxed); }

 private:
  std::int64_t end_ = 0;  // written only while no agent runs
  std::atomic<std::int64_t> claimed_{0};
  std::atomic<bool> stopped_{false};
};

// An agent's own way to the counter: it can be sent home while the others play on.
class Shift {
 public:
  explicit Shift(FrameCounter& frames) : frames_(frames) {}

  int claim(int columns, int steps_max) {
    return home_.load(std::memory_order_relaxed) ? 0 : frames_.claim(columns, steps_max);
  }
  void send_home() { home_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_home() const { return home_.load(std::memory_order_relaxed); }
  void call_back() { home_.store(false, std::memory_order_relaxed); }

 private:
  FrameCounter& frames_;
  std::atomic<bool> home_{false};
};

}  // namespace hone::ga3c
