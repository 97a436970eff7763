// Ape-X: the first errors of transitions next to plain references, and runs that repeat.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/train/given_trainer.hpp"
#include "worker/train/value/apex_actor.hpp"
#include "worker/train/value/first_errors.hpp"
#include "worker/train/value/options.hpp"

namespace hone::q {
namespace {

using trainers::Settings;
using trainers::Trainer;

TEST(FirstErrorsOfTransitions, sum_n_rewards_and_the_value_of_the_state_after_them) {
  FirstErrors errors(3, 0.5);
  std::vector<double> out;
  const double values[] = {10, 20, 30, 40, 50};
  const double best[] = {11, 21, 31, 41, 51};
  for (std::size_t t = 0; t < 5; ++t) {
    errors.reach(best[t], out);
    errors.step(values[t], static_cast<double>(t + 1));
  }
  // 1 + 2/2 + 3/4 + 41/8 - 10, and 2 + 3/2 + 4/4 + 51/8 - 20
  ASSERT_EQ(out.size(), 2U);
  EXPECT_DOUBLE_EQ(out[0], 1 + 1 + 0.75 + 41.0 / 8 - 10);
  EXPECT_DOUBLE_EQ(out[1], 2 + 1.5 + 1 + 51.0 / 8 - 20);
}

TEST(FirstErrorsOfTransitions, are_completed_by_the_end_of_an_episode) {
  FirstErrors errors(3, 0.5);
  std::vector<double> out;
  for (const double reward : {4.0, 2.0}) {
    errors.reach(100, out);
    errors.step(1, reward);
  }
  EXPECT_TRUE(out.empty());
  errors.end(8, out);
  EXPECT_EQ(out, (std::vector<double>{4 + 1 + 2 - 1, 2 + 4 - 1}));
  errors.reach(100, out);
  EXPECT_EQ(out.size(), 2U) << "a new episode has no transitions yet";
}

// What the memory would compute for its own transitions, by the same values.
TEST(FirstErrorsOfTransitions, belong_to_the_transitions_that_the_memory_completes) {
  constexpr std::size_t steps = 3;
  constexpr double gamma = 0.9;
  const auto index = replay::make_index({replay::Priority::proportional, 1, 0}, 64);
  replay::MemoryShape shape;
  shape.slots = 64;
  shape.row = sizeof(float);
  shape.steps = steps;
  shape.gamma = gamma;
  replay::Memory memory(shape, *index);
  FirstErrors errors(steps, gamma);
  envs::Stream random(5, envs::Purpose::environment, 0);
  const auto value_of = [](float state) { return 0.1 * static_cast<double>(state); };
  for (int t = 0; t < 40; ++t) {
    const auto state = static_cast<float>(t + 1);
    const auto last = static_cast<float>(1000 + t);
    const float action = 0;
    replay::Experience step;
    step.observation = &state;
    step.action = {&action, 1};
    step.reward = static_cast<float>(random.uniform(-1, 1));
    if (t % 9 == 7) step.ending = replay::Ending::terminated;
    if (t % 9 == 3) step.ending = replay::Ending::truncated;
    step.last = &last;
    std::vector<double> completed;
    errors.reach(value_of(state), completed);
    errors.step(value_of(state), static_cast<double>(step.reward));
    if (step.ending == replay::Ending::terminated) errors.end(0, completed);
    if (step.ending == replay::Ending::truncated) errors.end(value_of(last), completed);
    memory.append(0, step, completed);
  }
  double total = 0;
  std::vector<std::pair<std::size_t, double>> expected;
  for (std::size_t slot = 0; slot < 64; ++slot) {
    if (!index->contains(slot)) continue;
    float before = 0, after = 0, action = 0;
    const auto backup = memory.read(slot, &before, &after, {&action, 1});
    const double target =
        static_cast<double>(backup.reward) + static_cast<double>(backup.discount) * value_of(after);
    expected.emplace_back(slot, std::abs(target - value_of(before)));
    total += expected.back().second;
  }
  ASSERT_GT(expected.size(), 20U);
  std::vector<replay::Draw> draws(2000);
  envs::Stream more(6, envs::Purpose::replay, 0);
  index->draw(draws, more);
  for (const auto& draw : draws)
    for (const auto& [slot, error] : expected)
      if (slot == draw.slot) {
        EXPECT_NEAR(draw.probability, error / total, 1e-5) << slot;
      }
}

TEST(ApexExploration, is_the_published_one) {
  const Exploration rule{EpsilonSchedule::per_actor, 0.4, 0, 1, 7};
  EXPECT_NEAR(rule.epsilon(0, 0, 8), 0.4, 1e-12);
  EXPECT_NEAR(rule.epsilon(0, 1, 8), 0.16, 1e-12);
  EXPECT_NEAR(rule.epsilon(0, 3, 8), 0.0256, 1e-12);
  EXPECT_NEAR(rule.epsilon(0, 7, 8), 0.000655, 1e-6);
}

class ApexRuns : public testing::Test, public GivenTrainer {
 protected:
  ApexRuns() : GivenTrainer("apex", 8000) {}
};

TEST_F(ApexRuns, repeat_and_continue_to_the_byte_where_they_are_deterministic) {
  for (const char* env : {"CartPole-v1", "MinAtar-breakout"}) {
    const Params params{word("deterministic", "yes"), word("env", env), count("hidden", 16),
                        count("learning_starts", 300), count("replay_size", 4000)};
    SCOPED_TRACE(env);
    expect_repeated_and_continued(params, 1000, 2000);
  }
}

TEST_F(ApexRuns, with_several_actors_play_every_frame_and_make_the_updates_of_dqn) {
  const auto trainer = made({count("actors", 3), count("slots", 3), count("hidden", 16),
                             count("learning_starts", 400), count("train_every", 4)});
  trainer->advance(4400, {}, [] {});
  EXPECT_GE(trainer->step(), 4400);
  EXPECT_LT(trainer->step(), 4400 + 3 * 4);
  bool lag_seen = false;
  for (const auto& [name, value] : trainer->take_metrics()) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    lag_seen = lag_seen || name == "policy_lag";
    if (name == "policy_lag") {
      EXPECT_GE(value, 0);
    }
  }
  EXPECT_TRUE(lag_seen);
  // The updates are part of the file: a resumed run continues to count them.
  saved(*trainer);
  EXPECT_TRUE(made({count("actors", 3), count("slots", 3), count("hidden", 16),
                    count("learning_starts", 400), count("train_every", 4)})
                  ->load(path_)
                  .ok());
}

TEST_F(ApexRuns, learn_to_balance) {
  const auto trainer =
      made({word("deterministic", "yes"), count("learning_starts", 500), count("envs", 4)});
  trainer->advance(8000, {}, [] {});
  EXPECT_GT(trainer->value().value(), 30) << "a random player has 22";
}

TEST_F(ApexRuns, refuse_more_actors_where_they_are_deterministic_and_files_of_dqn) {
  for (const char* name : {"actors", "slots"}) {
    const auto refused = tried({word("deterministic", "yes"), count(name, 2)});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().at, "/deterministic");
  }
  EXPECT_EQ(tried({word("env", "Pendulum-v1")}).error().at, "/env");
  auto settings = Settings::resolve(*find_trainer("dqn"), {}, {});
  const auto dqn = trainers::find_trainer_row("dqn")->make({*std::move(settings), 1, 1000}).value();
  ASSERT_TRUE(dqn->save(path_).ok());
  EXPECT_FALSE(made({})->load(path_).ok());
}

}  // namespace
}  // namespace hone::q
