// A report's value: a finite number, or `diverged`, which ranks below every number. NaN and
// infinity never travel.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace hone {

enum class Goal { maximize, minimize };

struct Objective {
  std::string metric;
  Goal goal = Goal::maximize;
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

  [[nodiscard]] bool is_diverged() const { return !value_.has_value(); }
  // Precondition: !is_diverged().
  [[nodiscard]] double value() const { return value_.value(); }

  // Larger is better, whatever the goal; diverged is minus infinity.
  [[nodiscard]] double merit(Goal goal) const {
    if (!value_) return -std::numeric_limits<double>::infinity();
    return goal == Goal::maximize ? *value_ : -*value_;
  }

  friend bool operator==(const Score&, const Score&) = default;

 private:
  std::optional<double> value_;
};

}  // namespace hone
