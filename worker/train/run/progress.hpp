// The progress line of a training without a server: redrawn in place on a terminal, otherwise a
// line every ten seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "schemas/types/score.hpp"

namespace hone::trainers {

struct ProgressGoal {
  std::string unit;        // "frames"
  std::string objective;   // "return"
  std::int64_t start = 0;  // steps that an earlier process has done
  std::int64_t end = 0;
};

class ProgressLine {
 public:
  ProgressLine(ProgressGoal goal, bool terminal);

  // Writes to stderr.
  void show(std::int64_t step, Score value);
  // Writes the final line, which stays on the screen.
  void finish(std::int64_t step, Score value);

  [[nodiscard]] std::string text(std::int64_t step, Score value, double seconds) const;

 private:
  using Clock = std::chrono::steady_clock;
  void write(std::int64_t step, Score value, bool last);

  ProgressGoal goal_;
  bool terminal_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = Clock::now();
};

// 1234567 -> "1.23M"
std::string short_count(double count);

}  // namespace hone::trainers
