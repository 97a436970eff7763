// How many agents, predictors and trainers work, and the rule that adjusts them by what was
// measured.
#pragma once

#include <cstdint>

namespace hone::ga3c {

struct Staff {
  int agents = 1;
  int predictors = 1;
  int trainers = 1;
  friend bool operator==(const Staff&, const Staff&) = default;
};

// The published rule: every number moves by -1, 0 or +1 at random, and the move stays if the next
// window is faster. The published code compares with whatever window came last; here a move is
// always compared with a window of the staff it would replace, so a slow stretch of the games
// decides nothing.
class StaffTuner {
 public:
  StaffTuner(const Staff& start, const Staff& most, std::uint64_t seed)
      : state_{start, 0, 0}, now_(start), most_(most), seed_(seed) {}

  // The throughput of a window of now(): returns who works in the next one.
  Staff judge(double throughput);
  [[nodiscard]] const Staff& now() const { return now_; }

  struct State {
    Staff kept;
    double kept_throughput = 0;  // 0: not measured since the last move was undone
    std::uint64_t moves = 0;     // drawn so far: the random stream's index
  };
  // For checkpoints: a window that was under way is measured again.
  [[nodiscard]] const State& state() const { return state_; }
  void restore(const State& state) {
    state_ = state;
    now_ = state.kept;
  }

 private:
  [[nodiscard]] Staff moved();

  State state_;
  Staff now_;
  Staff most_;
  std::uint64_t seed_;
};

}  // namespace hone::ga3c
