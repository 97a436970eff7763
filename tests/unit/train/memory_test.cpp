// The replay memory next to a plain list of all steps: stacks of frames, several lanes, rings that
// wrap, and checkpoints.
#include "worker/train/replay/memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

namespace hone::replay {
namespace {

using envs::Purpose;
using envs::Stream;
using Row = std::array<float, 4>;  // sixteen bytes: four pixels of four frames

// A step as the environment had it.
struct Plain {
  Row observation{}, after{};
  float action = 0;
  float reward = 0;
  Ending ending = Ending::none;
};

// Random episodes of stacked frames.
class Film {
 public:
  explicit Film(std::uint64_t seed) : random_(seed, Purpose::replay, 9) { begin(); }

  Plain step() {
    Plain plain;
    plain.observation = now_;
    shoot();
    plain.after = now_;
    plain.action = static_cast<float>(std::floor(random_.uniform(0, 5)));
    plain.reward = static_cast<float>(random_.uniform(-1, 1));
    const double end = random_.uniform();
    if (end < 0.05) plain.ending = Ending::terminated;
    if (end > 0.95) plain.ending = Ending::truncated;
    if (plain.ending != Ending::none) begin();
    return plain;
  }

 private:
  void begin() {
    for (int frame = 0; frame < 4; ++frame) shoot();
  }
  // [pixel][frame], the newest last.
  void shoot() {
    std::array<std::uint8_t, sizeof(Row)> bytes{};
    std::memcpy(bytes.data(), now_.data(), sizeof(Row));
    for (std::size_t pixel = 0; pixel < 4; ++pixel) {
      for (std::size_t frame = 0; frame < 3; ++frame)
        bytes[4 * pixel + frame] = bytes[4 * pixel + frame + 1];
      bytes[4 * pixel + 3] = static_cast<std::uint8_t>(random_.bits());
    }
    std::memcpy(now_.data(), bytes.data(), sizeof(Row));
  }

  Stream random_;
  Row now_{};
};

struct Kind {
  const char* name;
  std::size_t history;
  std::size_t steps;
  std::size_t lanes;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class Memories : public testing::TestWithParam<Kind> {
 protected:
  static constexpr double gamma = 0.9;

  [[nodiscard]] static MemoryShape shape() {
    const auto& kind = GetParam();
    return {120 * kind.lanes, kind.lanes, sizeof(Row), kind.history, 4, 1, kind.steps, gamma};
  }

  void play(int steps) {
    for (int i = 0; i < steps; ++i)
      for (std::size_t lane = 0; lane < films_.size(); ++lane) {
        const auto plain = films_[lane].step();
        memory_.append(lane, {plain.observation.data(),
                              {&plain.action, 1},
                              plain.reward,
                              plain.ending,
                              plain.after.data()});
        steps_[lane].push_back(plain);
      }
  }

  // The step with this observation, which no other has.
  const Plain* find(const Row& observation, std::size_t& lane, std::size_t& at) const {
    for (lane = 0; lane < steps_.size(); ++lane)
      for (at = 0; at < steps_[lane].size(); ++at)
        if (std::memcmp(steps_[lane][at].observation.data(), observation.data(), sizeof(Row)) == 0)
          return &steps_[lane][at];
    return nullptr;
  }

  void expect_as_played(std::size_t slot) {
    Row observation{}, next{};
    float action = -1;
    const auto backup = memory_.read(slot, observation.data(), next.data(), {&action, 1});
    std::size_t lane = 0, at = 0;
    const auto* plain = find(observation, lane, at);
    ASSERT_NE(plain, nullptr) << "an observation that was never seen";
    EXPECT_EQ(action, plain->action);
    double reward = 0, discount = 1;
    const Plain* last = plain;
    for (std::size_t i = 0; i < GetParam().steps; ++i) {
      last = &steps_[lane][at + i];
      reward += discount * static_cast<double>(last->reward);
      discount *= gamma;
      if (last->ending != Ending::none) break;
    }
    if (last->ending == Ending::terminated) discount = 0;
    EXPECT_NEAR(backup.reward, reward, 1e-6);
    EXPECT_NEAR(backup.discount, discount, 1e-6);
    if (discount == 0) return;
    EXPECT_EQ(std::memcmp(next.data(), last->after.data(), sizeof(Row)), 0) << "step " << at;
  }

  std::unique_ptr<Index> index_ = make_index({}, shape().slots);
  Memory memory_{shape(), *index_};
  std::vector<Film> films_ = [] {
    std::vector<Film> films;
    for (std::size_t lane = 0; lane < GetParam().lanes; ++lane) films.emplace_back(lane + 1);
    return films;
  }();
  std::vector<std::vector<Plain>> steps_{GetParam().lanes};
};

TEST_P(Memories, return_every_transition_as_it_was_played) {
  for (int round = 0; round < 12; ++round) {
    play(37);
    std::size_t drawable = 0;
    for (std::size_t slot = 0; slot < shape().slots; ++slot) {
      if (!index_->contains(slot)) continue;
      ++drawable;
      expect_as_played(slot);
    }
    EXPECT_EQ(drawable, index_->size());
    EXPECT_GT(drawable, round == 0 ? 0U : shape().slots / 3);
  }
}

TEST_P(Memories, restored_from_a_state_continue_alike) {
  play(150);
  const auto copied = make_index({}, shape().slots);
  Memory copy(shape(), *copied);
  ASSERT_TRUE(copied->restore(index_->save()));
  ASSERT_TRUE(copy.restore(memory_.state()));
  auto films = films_;
  play(100);
  for (int i = 0; i < 100; ++i)
    for (std::size_t lane = 0; lane < films.size(); ++lane) {
      const auto plain = films[lane].step();
      copy.append(lane, {plain.observation.data(),
                         {&plain.action, 1},
                         plain.reward,
                         plain.ending,
                         plain.after.data()});
    }
  EXPECT_EQ(copied->save(), index_->save());
  const auto ours = memory_.state();
  const auto theirs = copy.state();
  EXPECT_EQ(ours.lanes, theirs.lanes);
  EXPECT_EQ(ours.frames, theirs.frames);
  EXPECT_EQ(ours.marks, theirs.marks);
  EXPECT_EQ(ours.actions, theirs.actions);
  EXPECT_EQ(ours.rewards, theirs.rewards);
}

TEST_P(Memories, refuse_a_state_whose_parts_contradict_each_other) {
  play(50);
  const auto sound = memory_.state();
  const auto refused = [&](auto damage) {
    auto state = sound;
    damage(state);
    const auto index = make_index({}, shape().slots);
    EXPECT_TRUE(index->restore(index_->save()));
    return !Memory(shape(), *index).restore(state);
  };
  EXPECT_FALSE(refused([](Memory::State&) {}));
  EXPECT_TRUE(refused([](Memory::State& state) { state.lanes.pop_back(); }));
  EXPECT_TRUE(refused([](Memory::State& state) { state.lanes[0] = 1'000'000; }));
  EXPECT_TRUE(refused([](Memory::State& state) { state.lanes[1] = 1'000'000; }));
  EXPECT_TRUE(refused([](Memory::State& state) { state.lanes[2] = 99; }));
  EXPECT_TRUE(refused([](Memory::State& state) { state.frames.pop_back(); }));
  EXPECT_TRUE(refused([](Memory::State& state) { state.rewards.pop_back(); }));
  EXPECT_TRUE(refused([](Memory::State& state) { state.marks[0] = 0; }))
      << "not those of the index";
}

// It would be added to the index a second time, and its place there written outside of the list.
TEST_P(Memories, refuse_a_step_that_waits_and_may_already_be_drawn) {
  play(50);
  const auto state = memory_.state();
  auto waiting = state;
  for (std::size_t lane = 0; lane < shape().lanes; ++lane) waiting.lanes[4 * lane + 2] = 0;
  const auto accepts = [&](const Memory::State& one) {
    const auto index = make_index({}, shape().slots);
    return index->restore(index_->save()) && Memory(shape(), *index).restore(one);
  };
  EXPECT_TRUE(accepts(waiting)) << "no step waits";
  for (std::size_t lane = 0; lane < shape().lanes; ++lane) {
    const auto head = lane * shape().lane_slots() + state.lanes[4 * lane];
    for (std::uint64_t back = 1; back <= shape().steps; ++back) {
      const auto slot = head - back;
      if (state.lanes[4 * lane] < back || !index_->contains(slot)) continue;
      auto drawable = waiting;
      drawable.lanes[4 * lane + 2] = back;
      EXPECT_FALSE(accepts(drawable)) << "slot " << slot;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Memories,
                         testing::Values(Kind{"plain", 1, 1, 1}, Kind{"n_step", 1, 3, 1},
                                         Kind{"stacked", 4, 1, 1}, Kind{"stacked_n_step", 4, 5, 1},
                                         Kind{"lanes", 1, 2, 3}, Kind{"stacked_lanes", 4, 3, 2}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(MemoryBytes, of_a_million_steps_of_atari_are_less_than_eight_gigabytes) {
  const MemoryShape shape{1'000'000, 8, 84 * 84 * 4, 4, 84 * 84, 1, 3, 0.99};
  EXPECT_LT(shape.bytes(), 8'000'000'000U);
}

TEST(Stacks, that_do_not_continue_each_other_are_stored_whole) {
  const auto index = make_index({}, 64);
  Memory memory({64, 1, sizeof(Row), 4, 4, 1, 1, 0.9}, *index);
  const float action = 1;
  Row first{}, jump{};
  first.fill(1);
  jump.fill(2);
  for (const auto* row : {&first, &jump})
    memory.append(0, {row->data(), {&action, 1}, 1, Ending::none, nullptr});
  EXPECT_EQ(index->size(), 0U) << "the second observation does not follow the first";
  memory.append(0, {jump.data(), {&action, 1}, 1, Ending::terminated, nullptr});
  Row observation{}, next{};
  float read = 0;
  for (std::size_t slot = 0; slot < 64; ++slot) {
    if (!index->contains(slot)) continue;
    memory.read(slot, observation.data(), next.data(), {&read, 1});
    EXPECT_EQ(observation, jump);
  }
  EXPECT_GE(index->size(), 1U);
}

}  // namespace
}  // namespace hone::replay
