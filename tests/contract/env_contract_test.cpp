// The contract of worker/train/envs/core/env.hpp, for every built-in environment.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/contract/env_copies.hpp"
#include "worker/train/envs/control/acrobot.hpp"
#include "worker/train/envs/control/cartpole.hpp"
#include "worker/train/envs/core/stream.hpp"
#include "worker/train/envs/table.hpp"

namespace hone::envs {

void PrintTo(const EnvRow& row, std::ostream* out) { *out << row.name; }

namespace {

const EnvRow& named(std::string_view name) {
  for (const auto& row : env_table())
    if (row.name == name) return row;
  throw std::invalid_argument("no environment " + std::string(name));
}

class EveryEnv : public testing::TestWithParam<EnvRow> {};

TEST_P(EveryEnv, describes_itself_and_is_found_by_its_name) {
  const auto& spec = *GetParam().spec;
  EXPECT_GT(spec.observation_size, 0);
  EXPECT_GE(spec.actions, spec.action_kind == ActionKind::discrete ? 2 : 1);
  EXPECT_GE(spec.step_limit, 0);
  if (spec.planes != Planes{}) {
    EXPECT_EQ(spec.planes.size(), spec.observation_size);
  }
  const auto found = find_env(GetParam().name);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->name, GetParam().name);
  EXPECT_EQ(found->spec.observation_size, spec.observation_size);
  EXPECT_EQ((*found->make({.count = 3}))->count(), 3);
  EXPECT_FALSE(find_env(std::string(GetParam().name) + "x").ok());
}

TEST_P(EveryEnv, observes_finite_numbers_and_pays_finite_rewards) {
  EnvCopies copies(GetParam(), {.count = 8, .seed = 3});
  Stream random(1, Purpose::action, 0);
  for (int t = 0; t < 2000; ++t) {
    copies.step_at_random(random);
    for (const float number : copies.observations) ASSERT_TRUE(std::isfinite(number));
    for (const float reward : copies.rewards) ASSERT_TRUE(std::isfinite(reward));
  }
}

TEST_P(EveryEnv, repeats_itself_for_the_same_seed_and_differs_for_another) {
  EnvCopies first(GetParam(), {.count = 4, .seed = 7});
  EnvCopies second(GetParam(), {.count = 4, .seed = 7});
  EnvCopies other(GetParam(), {.count = 4, .seed = 8});
  Stream dice_of_first(1, Purpose::action, 0);
  Stream dice_of_second(1, Purpose::action, 0);
  Stream dice_of_other(1, Purpose::action, 0);
  bool differed = false;
  for (int t = 0; t < 500; ++t) {
    first.step_at_random(dice_of_first);
    second.step_at_random(dice_of_second);
    ASSERT_EQ(first.observations, second.observations);
    ASSERT_EQ(first.terminated, second.terminated);
    other.step_at_random(dice_of_other);
    differed = differed || first.observations != other.observations;
  }
  EXPECT_TRUE(differed);
}

TEST_P(EveryEnv, gives_a_copy_the_same_episodes_in_whatever_group_it_is) {
  EnvCopies all(GetParam(), {.count = 4, .seed = 7});
  EnvCopies last(GetParam(), {.count = 1, .seed = 7, .first_index = 3});
  for (int t = 0; t < 300; ++t) {
    all.step();
    last.step();
    const std::vector<float> row(all.observations.end() - static_cast<std::ptrdiff_t>(all.size()),
                                 all.observations.end());
    ASSERT_EQ(row, last.observations);
  }
}

TEST_P(EveryEnv, starts_the_next_episode_in_the_step_that_ends_one) {
  EnvCopies copies(GetParam(), {.count = 8, .seed = 5});
  Stream random(2, Purpose::action, 0);
  int ended = 0;
  for (int t = 0; t < 5100; ++t) {
    std::fill(copies.final_observations.begin(), copies.final_observations.end(), -1e9F);
    copies.step_at_random(random);
    for (std::size_t i = 0; i < copies.rows(); ++i) {
      const bool over = copies.terminated[i] != 0 || copies.truncated[i] != 0;
      const float* last = copies.final_observations.data() + i * copies.size();
      ASSERT_EQ(last[0] != -1e9F, over) << "final observations are written where an episode ended";
      if (!over) continue;
      ++ended;
      const float* next = copies.observations.data() + i * copies.size();
      ASSERT_FALSE(std::equal(next, next + copies.size(), last));
    }
  }
  EXPECT_GT(ended, 8);
}

TEST_P(EveryEnv, never_lasts_longer_than_its_step_limit) {
  EnvCopies copies(GetParam(), {.count = 8, .seed = 6});
  Stream random(3, Purpose::action, 0);
  const int limit = GetParam().spec->step_limit;
  std::vector<int> steps(copies.rows(), 0);
  for (int t = 0; t < 5000; ++t) {
    copies.step_at_random(random);
    for (std::size_t i = 0; i < copies.rows(); ++i) {
      ++steps[i];
      ASSERT_EQ(copies.truncated[i] != 0, limit > 0 && steps[i] == limit);
      if (copies.terminated[i] != 0 || copies.truncated[i] != 0) steps[i] = 0;
    }
  }
}

TEST_P(EveryEnv, continues_from_a_saved_state_as_if_nothing_had_happened) {
  EnvCopies original(GetParam(), {.count = 4, .seed = 7});
  Stream random(4, Purpose::action, 0);
  for (int t = 0; t < 137; ++t) original.step_at_random(random);
  EnvCopies restored(GetParam(), {.count = 4, .seed = 99});
  ASSERT_TRUE(restored.restore(original.env->save()));
  EXPECT_EQ(restored.observations, original.observations);
  Stream same_random(random.words());
  for (int t = 0; t < 500; ++t) {
    original.step_at_random(random);
    restored.step_at_random(same_random);
    ASSERT_EQ(original.observations, restored.observations);
  }
}

TEST_P(EveryEnv, refuses_a_state_of_another_shape) {
  EnvCopies copies(GetParam(), {.count = 4, .seed = 7});
  auto words = copies.env->save();
  words.pop_back();
  EXPECT_FALSE(copies.restore(words));
}

TEST_P(EveryEnv, accepts_every_state_that_play_leads_to) {
  EnvCopies original(GetParam(), {.count = 4, .seed = 12});
  EnvCopies restored(GetParam(), {.count = 4, .seed = 13});
  Stream random(5, Purpose::action, 0);
  for (int t = 0; t < 4000; ++t) {
    original.step_at_random(random);
    if (t % 7 != 0) continue;
    ASSERT_TRUE(restored.restore(original.env->save())) << t;
  }
}

// The words of a checkpoint came to be places in arrays: a row of 2^31 wrote outside of an
// observation, an angle of 1e300 was turned back by 2 pi without an end.
TEST_P(EveryEnv, a_state_of_a_strange_file_was_played_outside_of_its_memory) {
  EnvCopies original(GetParam(), {.count = 1, .seed = 12});
  Stream random(6, Purpose::action, 0);
  for (int t = 0; t < 150; ++t) original.step_at_random(random);
  const auto sound = original.env->save();
  constexpr std::array<std::uint64_t, 8> strange{
      0,  ~std::uint64_t{0}, 0x7fffffff'7fffffff, 0x80000000'80000000,
      10, 10ULL << 32,       0x7ff80000'00000000, 0x7e37e43c'8800759c};  // NaN, 1e300
  for (std::size_t i = 0; i < sound.size(); ++i)
    for (const auto word : strange) {
      auto words = sound;
      words[i] = word;
      EnvCopies copies(GetParam(), {.count = 1, .seed = 13});
      if (!copies.restore(words)) continue;
      for (int t = 0; t < 40; ++t) copies.step_at_random(random);
    }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryEnv, testing::ValuesIn(env_table().begin(), env_table().end()),
                         [](const auto& row) {
                           std::string name(row.param.name);
                           std::erase_if(name,
                                         [](unsigned char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

// Golden values computed with Gymnasium's own code.
constexpr cartpole::State golden_start{0.01, -0.02, 0.03, 0.04};

void expect_near(const cartpole::State& state, const cartpole::State& golden) {
  EXPECT_NEAR(state.x, golden.x, 1e-12);
  EXPECT_NEAR(state.speed, golden.speed, 1e-12);
  EXPECT_NEAR(state.angle, golden.angle, 1e-12);
  EXPECT_NEAR(state.turn_rate, golden.turn_rate, 1e-12);
}

cartpole::State after(int steps, std::initializer_list<int> actions) {
  auto state = golden_start;
  for (int t = 0; t < steps; ++t) {
    EXPECT_FALSE(cartpole::failed(state));
    state = cartpole::advance(state, actions.begin()[static_cast<std::size_t>(t) % actions.size()]);
  }
  return state;
}

TEST(CartPole, agrees_with_gymnasium_over_mixed_actions) {
  const std::initializer_list<int> actions{1, 0, 1, 1, 0, 1, 0, 0, 1, 1};
  expect_near(after(1, actions), {0.0096, 0.17467919574755525, 0.0308, -0.24306871796000826});
  expect_near(after(10, actions), {0.040823144887772576, 0.3681533669141926, -0.00810417181945765,
                                   -0.4992705804611827});
  const auto last = after(22, actions);
  expect_near(last,
              {0.18479813520911992, 0.7728208562940089, -0.23310890027013004, -1.4372362274263148});
  EXPECT_TRUE(cartpole::failed(last));
}

TEST(CartPole, agrees_with_gymnasium_when_always_pushed_right) {
  const auto last = after(10, {1});
  expect_near(last,
              {0.18148412486073115, 1.9330643896994748, -0.2235691808247549, -2.984082745435587});
  EXPECT_TRUE(cartpole::failed(last));
}

TEST(CartPole, starts_within_a_twentieth_in_every_number) {
  EnvCopies copies(named("CartPole-v1"), {.count = 256, .seed = 1});
  std::set<float> seen;
  for (const float number : copies.observations) {
    EXPECT_LE(std::abs(number), 0.05F);
    seen.insert(number);
  }
  EXPECT_GT(seen.size(), 1000U);
}

TEST(CartPole, is_truncated_at_500_steps_when_the_pole_is_kept_up) {
  EnvCopies copies(named("CartPole-v1"), {.count = 16, .seed = 1});
  for (int t = 1; t <= 500; ++t) {
    for (std::size_t i = 0; i < copies.rows(); ++i) {
      const float* seen = copies.observations.data() + 4 * i;
      copies.choices[i] = seen[2] + 0.5F * seen[3] + 0.02F * seen[0] + 0.04F * seen[1] > 0 ? 1 : 0;
    }
    copies.step();
    for (std::size_t i = 0; i < copies.rows(); ++i) {
      ASSERT_EQ(copies.terminated[i], 0);
      ASSERT_EQ(copies.truncated[i] != 0, t == 500);
      ASSERT_EQ(copies.rewards[i], 1.0F);
    }
  }
}

TEST(CartPole, falls_after_22_steps_on_average_when_pushed_at_random) {
  EnvCopies copies(named("CartPole-v1"), {.count = 64, .seed = 2});
  Stream random(5, Purpose::action, 0);
  double steps = 0;
  double episodes = 0;
  for (int t = 0; t < 20'000; ++t) {
    copies.step_at_random(random);
    steps += static_cast<double>(copies.rows());
    for (const auto over : copies.terminated) episodes += over;
  }
  EXPECT_NEAR(steps / episodes, 22.27, 0.3);
}

// Golden values computed with Gymnasium's own code.
TEST(Acrobot, agrees_with_gymnasium_over_mixed_actions) {
  constexpr std::array actions{2, 0, 1, 2, 2, 0, 0, 1, 2, 0};
  const std::map<int, acrobot::State> golden{
      {1, {0.0335506351372562, -0.011643324607889374, -0.1797073144130027, 0.4039442272018444}},
      {10, {0.08666384246192632, -0.21425173790463603, 0.13106219202316632, -0.34649159837402455}},
      {30, {0.06706477226564946, -0.1531628736717449, 0.5634466933924, -0.9891894467982443}}};
  acrobot::State state{0.05, -0.05, 0.02, -0.03};
  for (int t = 1; t <= 30; ++t) {
    state = acrobot::advance(state, actions.at(static_cast<std::size_t>(t - 1) % actions.size()));
    EXPECT_FALSE(acrobot::reached(state));
    if (!golden.contains(t)) continue;
    const auto& expected = golden.at(t);
    EXPECT_NEAR(state.angle, expected.angle, 1e-12) << t;
    EXPECT_NEAR(state.bend, expected.bend, 1e-12) << t;
    EXPECT_NEAR(state.angle_rate, expected.angle_rate, 1e-12) << t;
    EXPECT_NEAR(state.bend_rate, expected.bend_rate, 1e-12) << t;
  }
}

TEST(Acrobot, keeps_its_angles_within_a_turn_and_its_speeds_within_bounds) {
  constexpr double pi = std::numbers::pi;
  const auto over_the_top = acrobot::advance({3.1, -3.1, 12.5, -28.2}, 2);
  EXPECT_LE(std::abs(over_the_top.angle), pi);
  EXPECT_LE(std::abs(over_the_top.bend), pi);
  EXPECT_LE(std::abs(over_the_top.angle_rate), 4 * pi);
  EXPECT_LE(std::abs(over_the_top.bend_rate), 9 * pi);
}

TEST(Acrobot, is_over_when_the_free_end_is_a_link_above_the_bar) {
  constexpr double pi = std::numbers::pi;
  EXPECT_FALSE(acrobot::reached({0, 0, 0, 0}));
  EXPECT_FALSE(acrobot::reached({pi / 2, pi / 2 - 0.01, 0, 0}));
  EXPECT_TRUE(acrobot::reached({pi / 2 + 0.01, pi / 2, 0, 0}));
  EXPECT_TRUE(acrobot::reached({pi, 0, 0, 0}));
}

TEST(Acrobot, starts_within_a_tenth_in_numbers_a_float_can_hold) {
  const auto env = named("Acrobot-v1").make({.count = 64, .seed = 1});
  std::vector<float> observations(64 * 6);
  env->reset(observations.data());
  const auto words = env->save();
  const auto words_per_copy = words.size() / 64;
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto number = std::bit_cast<double>(words[i * words_per_copy + k]);
      EXPECT_LE(std::abs(number), 0.1F);
      EXPECT_EQ(number, static_cast<double>(static_cast<float>(number)));
    }
  EXPECT_FLOAT_EQ(observations[0] * observations[0] + observations[1] * observations[1], 1.0F);
}

// Torque along the swing of the lower link brings the free end up in one or two hundred steps.
TEST(Acrobot, costs_a_point_a_step_until_it_is_reached) {
  EnvCopies copies(named("Acrobot-v1"), {.count = 16, .seed = 1});
  int reached = 0;
  for (int t = 0; t < 2000; ++t) {
    for (std::size_t i = 0; i < copies.rows(); ++i)
      copies.choices[i] = copies.observations[6 * i + 5] > 0 ? 2 : 0;
    copies.step();
    for (std::size_t i = 0; i < copies.rows(); ++i) {
      ASSERT_EQ(copies.rewards[i], copies.terminated[i] != 0 ? 0.0F : -1.0F);
      reached += copies.terminated[i];
    }
  }
  EXPECT_GT(reached, 16);
}

TEST(Acrobot, is_hardly_ever_reached_at_random) {
  EnvCopies copies(named("Acrobot-v1"), {.count = 64, .seed = 2});
  Stream random(5, Purpose::action, 0);
  std::vector<double> running(copies.rows(), 0);
  double sum = 0;
  double episodes = 0;
  for (int t = 0; t < 5'000; ++t) {
    copies.step_at_random(random);
    for (std::size_t i = 0; i < copies.rows(); ++i) {
      running[i] += copies.rewards[i];
      if (copies.terminated[i] == 0 && copies.truncated[i] == 0) continue;
      sum += std::exchange(running[i], 0.0);
      ++episodes;
    }
  }
  EXPECT_NEAR(sum / episodes, -498.9, 2.0);
}

}  // namespace
}  // namespace hone::envs
