// The rule that adjusts the numbers of agents, predictors and trainers by measured throughput.
#pragma once

#include <cstdint>

#include "worker/train/rl/worker_counts.hpp"

namespace hone::ac {

// The rule of GA3C (Babaeizadeh et al., 2017, section 5.1): every number moves by -1, 0 or +1 at
// random, and the move stays if the next window of time is faster. The published code compares with
// the window before, whatever its counts were; here a move is compared with a window of the counts
// that it replaces, so that a stretch in which the games are slower does not decide.
class WorkerCountTuner {
 public:
  WorkerCountTuner(const rl::WorkerCounts& start, const rl::WorkerCounts& max, std::uint64_t seed)
      : state_{start, 0, 0}, now_(start), max_(max), seed_(seed) {}

  // Takes the throughput of a window of now(): frames a second, in parity mode updates. Returns
  // the counts of the next window.
  rl::WorkerCounts judge(double throughput);
  [[nodiscard]] const rl::WorkerCounts& now() const { return now_; }

  using State = rl::WorkerCountState;
  // For checkpoints. After restore() the window under way is measured again.
  [[nodiscard]] const State& state() const { return state_; }
  // Starts as before if the file's counts are beyond the bounds.
  void restore(const State& state) {
    const auto fits = [](int count, int most) { return count >= 1 && count <= most; };
    if (!fits(state.kept.agents, max_.agents) || !fits(state.kept.predictors, max_.predictors) ||
        !fits(state.kept.trainers, max_.trainers))
      return;
    state_ = state;
    now_ = state.kept;
  }

 private:
  [[nodiscard]] rl::WorkerCounts moved();

  State state_;
  rl::WorkerCounts now_;
  rl::WorkerCounts max_;
  std::uint64_t seed_;
};

}  // namespace hone::ac
