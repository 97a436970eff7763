// The frames of a phase, which the agents claim.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hone::rl {

// Thread-safe; open_until() and restore() only while no agent runs.
class FrameCounter {
 public:
  void open_until(std::int64_t end) {
    end_ = end;
    stopped_.store(false, std::memory_order_relaxed);
  }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

  // Claims up to steps_max steps of `columns` environments. Returns the number of steps; 0 when the
  // phase is over. The last claim may pass the end by less than `columns` frames, because a group
  // steps together.
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

// The frames of one actor: those of the counter, unless the actor is paused.
class FrameBudget {
 public:
  explicit FrameBudget(FrameCounter& frames) : frames_(frames) {}

  int claim(int columns, int steps_max) {
    return paused_.load(std::memory_order_relaxed) ? 0 : frames_.claim(columns, steps_max);
  }
  void pause() { paused_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_paused() const { return paused_.load(std::memory_order_relaxed); }
  void resume() { paused_.store(false, std::memory_order_relaxed); }

 private:
  FrameCounter& frames_;
  std::atomic<bool> paused_{false};
};

}  // namespace hone::rl
