// Rollouts in shared memory: what was written is read, and what no actor plays is refused.
#include "worker/train/actor_critic/rollout_slot.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

namespace hone::ac {
namespace {

constexpr RolloutShape shape{2, 4, 3, 2};
constexpr RolloutBounds bounds{3, 5, 9};

std::size_t at(int t) { return static_cast<std::size_t>(t); }

// Every number differs.
void fill(Rollout& rollout) {
  float next = 1;
  rollout.steps = bounds.steps;
  for (int t = 0; t <= rollout.steps; ++t)
    for (int i = 0; i < shape.columns * shape.row_floats; ++i) rollout.observations(t)[i] = ++next;
  for (int t = 0; t < rollout.steps; ++t) {
    rollout.version(t) = static_cast<std::uint64_t>(t) + 7;
    for (int column = 0; column < shape.columns; ++column) {
      rollout.actions(column)[at(t)] = t + column;
      rollout.log_chances(column)[at(t)] = -(++next);
      for (auto& number : rollout.numbers(t, column)) number = ++next;
      rollout.outcomes(column)[at(t)] = {.reward = static_cast<double>(++next),
                                         .ending = static_cast<rl::Ending>(t),
                                         .cut_value = static_cast<double>(++next)};
    }
  }
}

void expect_equal(Rollout& read, Rollout& written) {
  for (int t = 0; t <= bounds.steps; ++t)
    for (int i = 0; i < shape.columns * shape.row_floats; ++i)
      EXPECT_EQ(read.observations(t)[i], written.observations(t)[i]);
  for (int t = 0; t < bounds.steps; ++t) {
    EXPECT_EQ(read.version(t), written.version(t));
    for (int column = 0; column < shape.columns; ++column) {
      EXPECT_EQ(read.actions(column)[at(t)], written.actions(column)[at(t)]);
      EXPECT_EQ(read.log_chances(column)[at(t)], written.log_chances(column)[at(t)]);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(read.numbers(t, column)[i], written.numbers(t, column)[i]);
      const auto &step = read.outcomes(column)[at(t)], &same = written.outcomes(column)[at(t)];
      EXPECT_EQ(step.reward, same.reward);
      EXPECT_EQ(step.ending, same.ending);
      EXPECT_EQ(step.cut_value, same.cut_value);
    }
  }
}

TEST(RolloutSlot, keeps_a_rollout) {
  Rollout written(shape), read(shape);
  fill(written);
  std::vector<std::byte> slot(rollout_bytes(shape));
  const auto bytes = write_rollout(written, slot);
  EXPECT_LE(bytes, static_cast<std::int64_t>(slot.size()));
  ASSERT_TRUE(read_rollout(read, bounds, slot));
  expect_equal(read, written);
}

TEST(RolloutSlot, has_room_for_the_longest_rollout_and_no_more) {
  Rollout longest(shape);
  fill(longest);
  longest.steps = shape.steps_max;
  std::vector<std::byte> slot(rollout_bytes(shape));
  EXPECT_EQ(write_rollout(longest, slot), static_cast<std::int64_t>(slot.size()));
}

TEST(RolloutSlot, with_what_no_actor_plays_is_refused) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<const char*, std::function<void(Rollout&)>>> wrong{
      {"steps", [](Rollout& r) { r.steps = 2; }},
      {"more steps", [](Rollout& r) { r.steps = 4; }},
      {"version", [](Rollout& r) { r.version(2) = 10; }},
      {"last observation", [](Rollout& r) { r.observations(3)[5] = nan; }},
      {"observation", [](Rollout& r) { r.observations(0)[0] = -infinity; }},
      {"action", [](Rollout& r) { r.actions(1)[2] = 5; }},
      {"negative action", [](Rollout& r) { r.actions(0)[0] = -1; }},
      {"probability", [](Rollout& r) { r.log_chances(1)[0] = nan; }},
      {"number", [](Rollout& r) { r.numbers(1, 1)[1] = infinity; }},
      {"reward", [](Rollout& r) { r.outcomes(0)[1].reward = 2e12; }},
      {"value", [](Rollout& r) { r.outcomes(1)[1].cut_value = HUGE_VAL; }},
      {"ending", [](Rollout& r) { r.outcomes(1)[2].ending = static_cast<rl::Ending>(3); }}};
  for (const auto& [what, change] : wrong) {
    Rollout written(shape), read(shape);
    fill(written);
    change(written);
    std::vector<std::byte> slot(rollout_bytes(shape));
    write_rollout(written, slot);
    EXPECT_FALSE(read_rollout(read, bounds, slot)) << what;
  }
}

// A guest may fill the slot as it likes: nothing outside it is read, and no number of it is an
// index.
TEST(RolloutSlot, of_any_bytes_is_read_without_harm) {
  for (int byte = 0; byte < 256; ++byte) {
    std::vector<std::byte> slot(rollout_bytes(shape), static_cast<std::byte>(byte));
    const auto steps = static_cast<std::uint64_t>(bounds.steps);
    std::memcpy(slot.data(), &steps, sizeof steps);
    Rollout read(shape);
    EXPECT_EQ(read_rollout(read, bounds, slot), byte == 0) << byte;
  }
}

}  // namespace
}  // namespace hone::ac
