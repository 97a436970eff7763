#include "schemas/types/reach.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace hone {

bool reaches(const Reach& reach, Score value) {
  if (!value.has_number()) return false;
  return reach.falling ? value.value() <= reach.bar : value.value() >= reach.bar;
}

bool measures_time(const Objective& objective) {
  return objective.reach && objective.reach->clock != RunClock::steps;
}

Score counted(const Objective& objective, Score value, double time) {
  if (!objective.reach || !value.has_number()) return value;
  const Reach& reach = *objective.reach;
  if (reaches(reach, value)) return Score::of(std::clamp(time, 0.0, time_max));
  // Half of the gap, so that it is finite for every finite value.
  const double gap = std::abs(value.value() / 2 - reach.bar / 2);
  return Score::of(not_reached_from * (1 + gap / (gap + 1 + std::abs(reach.bar) / 2)));
}

std::vector<Score> settled(const Objective& objective, Score value, double time, int left) {
  if (!objective.reach || !reaches(*objective.reach, value) || left <= 0) return {};
  return std::vector<Score>(static_cast<std::size_t>(left), counted(objective, value, time));
}

Goal metric_goal(const Objective& objective) {
  if (!objective.reach) return objective.goal;
  return objective.reach->falling ? Goal::minimize : Goal::maximize;
}

}  // namespace hone
