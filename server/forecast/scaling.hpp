// How many machines reach a target first (Pan et al., "Hemingway: Modeling Distributed Optimization
// Algorithms", 2016). More machines make an iteration faster, f(m), but may need more iterations,
// g(i, m); what counts is the error after a time, h(t, m) = g(t / f(m), m).
//
// g is the exponential of a linear model of the logarithm of the sub-optimality (the loss above the
// best that is known), fitted by Lasso over features of i and m; the penalty is the one with the
// least error on a number of machines that was left out.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "server/forecast/least_squares.hpp"
#include "server/forecast/speed.hpp"

namespace hone::forecast {

struct ProgressSample {
  double iteration = 1;      // i >= 1
  double machines = 1;       // m >= 1
  double suboptimality = 0;  // > 0
};

class ProgressModel {
 public:
  ProgressModel(LassoFit fit, double penalty, double left_out_error, double machines_max)
      : fit_(std::move(fit)),
        penalty_(penalty),
        left_out_error_(left_out_error),
        machines_max_(machines_max) {}

  // g(i, m)
  [[nodiscard]] double suboptimality(double iteration, double machines) const;
  [[nodiscard]] double penalty() const { return penalty_; }
  // Root mean square error of the logarithm on numbers of machines that were left out; NaN if all
  // samples are of one number.
  [[nodiscard]] double left_out_error() const { return left_out_error_; }
  [[nodiscard]] bool covers(double machines) const { return machines <= 2 * machines_max_; }

 private:
  LassoFit fit_;
  double penalty_, left_out_error_, machines_max_;
};

// Leaves out samples that break their bounds; nullopt with fewer than five.
std::optional<ProgressModel> fit_progress(std::span<const ProgressSample> samples);

struct MachineChoice {
  int machines = 0;
  double seconds = 0;        // until the target, or the deadline
  double suboptimality = 0;  // predicted then
};

// The number of `candidates` that reaches the target first, or has the least error at the deadline.
// Numbers beyond twice the largest of either model's samples are not considered: nullopt if none
// remains, or none reaches the target within `iterations_max`.
std::optional<MachineChoice> first_to_reach(const ScaleModel& scale, const ProgressModel& progress,
                                            std::span<const int> candidates, double target,
                                            double iterations_max = 1e7);
std::optional<MachineChoice> best_within(const ScaleModel& scale, const ProgressModel& progress,
                                         std::span<const int> candidates, double seconds);

}  // namespace hone::forecast
