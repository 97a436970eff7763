// A report's value: a finite number, or `diverged`, which ranks below every number. NaN and
// infinity never travel. The value of a trial may also be `not reached`.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace hone {

// soonest: the value is the time until the metric first reached a bar (schemas/types/reach.hpp).
enum class Goal { maximize, minimize, soonest };

// What the time until a bar is counted in. seconds and cpu_seconds: of the run's processes, over
// its attempts, without what a restart lost; steps: units of the budget.
enum class RunClock { seconds, cpu_seconds, steps };

// A run has reached its bar with the first report that is at least (falling: at most) this value.
struct Reach {
  double bar = 0;
  bool falling = false;
  RunClock clock = RunClock::seconds;
  friend bool operator==(const Reach&, const Reach&) = default;
};

struct Objective {
  std::string metric;
  Goal goal = Goal::maximize;    // of the values that are compared; soonest exactly with `reach`
  std::optional<Reach> reach{};  // reports hold the metric, and the time is derived from them
  friend bool operator==(const Objective&, const Objective&) = default;
};

class Score {
 public:
  static Score diverged() { return Score{}; }
  // Anything non-finite is divergence.
  static Score of(double value) {
    Score score;
    if (std::isfinite(value)) score.value_ = value;
    return score;
  }

  // Of a trial under Goal::soonest: its metric has not reached the bar. Never of a report.
  static Score not_reached() {
    Score score;
    score.missed_ = true;
    return score;
  }

  [[nodiscard]] bool has_number() const { return value_.has_value(); }
  [[nodiscard]] bool is_not_reached() const { return missed_; }
  [[nodiscard]] bool is_diverged() const { return !value_ && !missed_; }
  // Precondition: has_number().
  [[nodiscard]] double value() const { return value_.value(); }

  // Larger is better, whatever the goal; minus infinity without a number.
  [[nodiscard]] double merit(Goal goal) const {
    if (!value_) return -std::numeric_limits<double>::infinity();
    return goal == Goal::maximize ? *value_ : -*value_;
  }

  friend bool operator==(const Score&, const Score&) = default;

 private:
  std::optional<double> value_;
  bool missed_ = false;
};

}  // namespace hone
