// Objectives of time: a report counts as the time until the run's metric reached a bar.
#pragma once

#include <vector>

#include "schemas/types/score.hpp"

namespace hone {

// What a report counts as where its run has not reached the bar begins here, beyond every time: a
// trial that reached it is better than each that did not. Among those, the latest value decides:
// the nearer to the bar, the smaller.
inline constexpr double not_reached_from = 1e15;
// A mean over a trial's runs is at least this if one of them has not reached the bar.
inline constexpr double some_not_reached_from = 1e12;

// Whether a report of this value reaches the bar.
bool reaches(const Reach& reach, Score value);

// Whether reports hold a time: the objective is one, and its clock does not count steps.
bool measures_time(const Objective& objective);

// The longest time that a report counts as.
inline constexpr double time_max = some_not_reached_from / 2;

// Returns what a report of `value` counts as, with `time` by the objective's clock. Under any other
// objective it counts as its value.
Score counted(const Objective& objective, Score value, double time);

// Returns what a run's phases after the report count as: a run that has reached its bar ends, and
// its time holds for each of `left` phases. Empty before that.
std::vector<Score> settled(const Objective& objective, Score value, double time, int left);

// The goal of the metric that reports hold.
Goal metric_goal(const Objective& objective);

}  // namespace hone
