#include "worker/train/actor_critic/rollout_slot.hpp"

#include <algorithm>
#include <array>

#include "worker/train/actors/cursor.hpp"

namespace hone::ac {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(n); }

// What the learner needs of a Step.
struct PlayedStep {
  float reward = 0;
  float cut_value = 0;
  std::uint32_t ending = 0;
};

void copy_outcomes(std::span<rl::Step> outcomes, bool writes, actors::Cursor& cursor) {
  for (auto& step : outcomes) {
    PlayedStep played{static_cast<float>(step.reward), static_cast<float>(step.cut_value),
                      static_cast<std::uint32_t>(step.ending)};
    cursor.copy(&played, 1);
    if (writes) continue;
    step = {};
    step.reward = static_cast<double>(played.reward);
    step.cut_value = static_cast<double>(played.cut_value);
    // One that does not exist is refused afterwards.
    step.ending = static_cast<rl::Ending>(std::min<std::uint32_t>(played.ending, 255));
  }
}

void copy_rollout(Rollout& rollout, bool writes, actors::Cursor& cursor) {
  const auto& shape = rollout.shape();
  const auto steps = size(rollout.steps);
  cursor.copy(&rollout.version(0), steps);
  cursor.copy(rollout.observations(0),
              size(rollout.steps + 1) * size(shape.columns) * size(shape.row_floats));
  for (int column = 0; column < shape.columns; ++column) {
    cursor.copy(rollout.actions(column).data(), steps);
    cursor.copy(rollout.log_chances(column).data(), steps);
    cursor.copy(rollout.numbers(0, column).data(), steps * size(shape.numbers));
    copy_outcomes(rollout.outcomes(column).first(steps), writes, cursor);
  }
}

bool are_sound(std::span<const rl::Step> outcomes) {
  return std::all_of(outcomes.begin(), outcomes.end(), [](const rl::Step& step) {
    const std::array numbers{static_cast<float>(step.reward), static_cast<float>(step.cut_value)};
    return step.ending <= rl::Ending::truncated && actors::are_moderate(numbers);
  });
}

bool is_sound(Rollout& rollout, const RolloutBounds& bounds) {
  const auto& shape = rollout.shape();
  const auto steps = size(rollout.steps);
  const auto floats = (steps + 1) * size(shape.columns) * size(shape.row_floats);
  if (!actors::are_moderate({rollout.observations(0), floats})) return false;
  for (int t = 0; t < rollout.steps; ++t)
    if (rollout.version(t) > bounds.versions) return false;
  for (int column = 0; column < shape.columns; ++column) {
    const auto actions = rollout.actions(column).first(steps);
    const auto known = [&](std::int32_t action) { return action >= 0 && action < bounds.actions; };
    if (!std::all_of(actions.begin(), actions.end(), known)) return false;
    if (!actors::are_moderate(rollout.log_chances(column).first(steps))) return false;
    const std::span numbers(rollout.numbers(0, column).data(), steps * size(shape.numbers));
    if (!actors::are_moderate(numbers)) return false;
    if (!are_sound(rollout.outcomes(column).first(steps))) return false;
  }
  return true;
}

}  // namespace

std::size_t rollout_bytes(const RolloutShape& shape) {
  const auto steps = size(shape.steps_max), columns = size(shape.columns);
  const auto cell =
      sizeof(std::int32_t) + (1 + size(shape.numbers)) * sizeof(float) + sizeof(PlayedStep);
  return sizeof(std::uint64_t) * (1 + steps) +
         (steps + 1) * columns * size(shape.row_floats) * sizeof(float) + steps * columns * cell;
}

std::int64_t write_rollout(Rollout& rollout, std::span<std::byte> slot) {
  actors::Cursor cursor(slot, true);
  auto steps = static_cast<std::uint64_t>(rollout.steps);
  cursor.copy(&steps, 1);
  copy_rollout(rollout, true, cursor);
  return cursor.at() - slot.data();
}

bool read_rollout(Rollout& rollout, const RolloutBounds& bounds, std::span<std::byte> slot) {
  actors::Cursor cursor(slot, false);
  std::uint64_t steps = 0;
  cursor.copy(&steps, 1);
  if (steps != static_cast<std::uint64_t>(bounds.steps)) return false;
  rollout.steps = bounds.steps;
  copy_rollout(rollout, false, cursor);
  return is_sound(rollout, bounds);
}

}  // namespace hone::ac
