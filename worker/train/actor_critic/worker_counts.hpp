// How many agents, predictors and trainers run, and the rule that adjusts the numbers by measured
// throughput.
#pragma once

#include <cstdint>

namespace hone::ga3c {

struct WorkerCounts {
  int agents = 1;
  int predictors = 1;
  int trainers = 1;
  friend bool operator==(const WorkerCounts&, const WorkerCounts&) = default;
};

// The rule of GA3C (Babaeizadeh et al., 2017, section 5.1): every number moves by -1, 0 or +1 at
// random, and the move stays if the next window of time is faster. The published code compares with
// the window before, whatever its counts were; here a move is compared with a window of the counts
// that it replaces, so that a stretch in which the games are slower does not decide.
class WorkerCountTuner {
 public:
  WorkerCountTuner(const WorkerCounts& start, const WorkerCounts& max, std::uint64_t seed)
      : state_{start, 0, 0}, now_(start), max_(max), seed_(seed) {}

  // Takes the throughput of a window of now(): frames a second, in parity mode updates. Returns
  // the counts of the next window.
  WorkerCounts judge(double throughput);
  [[nodiscard]] const WorkerCounts& now() const { return now_; }

  struct State {
    WorkerCounts kept;
    double kept_throughput = 0;  // 0: not measured since the last move was undone
    std::uint64_t moves = 0;     // drawn so far: index of the random stream
  };
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
  [[nodiscard]] WorkerCounts moved();

  State state_;
  WorkerCounts now_;
  WorkerCounts max_;
  std::uint64_t seed_;
};

}  // namespace hone::ga3c
