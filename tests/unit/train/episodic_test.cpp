// The cross-entropy method and REINFORCE: on CartPole against published learning speeds, and on
// other environments.
#include "worker/train/episodic/episodic.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/episodic/game.hpp"

namespace hone::trainers::episodic {
namespace {

TEST(PolicyNet, has_the_gradient_of_its_log_probability) {
  placement::RandomGenerator generator(3);
  PolicyNet net({4, 5, 3}, generator);
  const Observation seen{0.3, -0.7, 0.2, 1.1};
  net.forward(seen);
  std::vector<double> gradient(net.weights().size(), 0);
  net.add_gradient(1, 2.5, gradient);
  constexpr double step = 1e-6;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double weight = net.weights()[i];
    net.weights()[i] = weight + step;
    const double above = 2.5 * std::log(net.forward(seen)[1]);
    net.weights()[i] = weight - step;
    const double below = 2.5 * std::log(net.forward(seen)[1]);
    net.weights()[i] = weight;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-6) << i;
  }
}

TEST(Episodes, are_discounted_and_cut_at_a_percentile) {
  const auto returns = discounted(std::vector<double>{1, 1, 1, 1}, 0.99);
  EXPECT_NEAR(returns[0], 3.9404, 1e-4);
  EXPECT_NEAR(returns[1], 2.9701, 1e-4);
  EXPECT_NEAR(returns[2], 1.99, 1e-12);
  EXPECT_EQ(returns[3], 1);
  EXPECT_EQ(discounted(std::vector<double>{0, 0, 8}, 0.5), (std::vector<double>{2, 4, 8}));
  EXPECT_NEAR(percentile({4, 1, 3, 2}, 70), 3.1, 1e-12);
}

// The number of episodes until the mean of 100 reached the goal; limit + 1 if it did not. Sorted.
std::vector<std::int64_t> episodes_to_solve(const char* trainer, int seeds, std::int64_t limit) {
  std::vector<std::int64_t> episodes;
  const auto make = std::string_view(trainer) == "cem" ? make_cem : make_reinforce;
  for (int seed = 1; seed <= seeds; ++seed) {
    auto settings = Settings::resolve(*find_trainer(trainer), {}, {});
    auto made = make({std::move(settings).value(), static_cast<std::uint64_t>(seed), limit});
    const auto& learner = *made;
    for (std::int64_t at = 100; at <= limit && !learner->solved(); at += 100)
      learner->advance(at, {}, [] {});
    episodes.push_back(learner->solved() ? learner->solved()->step : limit + 1);
  }
  std::sort(episodes.begin(), episodes.end());
  return episodes;
}

TEST(CrossEntropyMethod, solves_cartpole_as_fast_as_published) {
  constexpr std::int64_t batch = 16;
  const auto episodes = episodes_to_solve("cem", 20, 120 * batch);
  EXPECT_LE(episodes[18], 120 * batch);  // 19 of 20 seeds
  EXPECT_GE(episodes[10], 35 * batch);
  EXPECT_LE(episodes[10], 65 * batch);
}

TEST(Reinforce, solves_cartpole_as_fast_as_published) {
  const auto episodes = episodes_to_solve("reinforce", 10, 1500);
  EXPECT_LE(episodes[8], 1500);
  EXPECT_LE(episodes[5], 816);
}

Result<std::unique_ptr<Trainer>> made(const char* trainer, const Params& fixed, std::int64_t budget,
                                      std::uint64_t seed = 1) {
  auto settings = Settings::resolve(*find_trainer(trainer), fixed, {});
  if (!settings) return std::move(settings).error();
  return std::string_view(trainer) == "cem" ? make_cem({*std::move(settings), seed, budget})
                                            : make_reinforce({*std::move(settings), seed, budget});
}

TEST(Episodic, plays_every_environment_with_discrete_actions) {
  int played = 0;
  for (const auto& row : envs::env_table()) {
    const Params fixed{{"env", std::string(row.name)}, {"episode_steps", std::int64_t{20}}};
    const auto trainer = made("cem", fixed, 32);
    if (row.spec->action_kind == envs::ActionKind::continuous) {
      ASSERT_FALSE(trainer) << row.name;
      EXPECT_NE(trainer.error().detail.find("discrete actions"), std::string::npos);
      continue;
    }
    ASSERT_TRUE(trainer) << row.name;
    (*trainer)->advance(32, {}, [] {});
    EXPECT_EQ((*trainer)->step(), 32) << row.name;
    ++played;
  }
  EXPECT_GE(played, 8);
}

// A seed that never swings up early has no elite to learn from.
TEST(Episodic, cem_learns_acrobot_whose_rewards_are_no_count_of_steps) {
  int learned = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Params fixed{{"env", std::string("Acrobot-v1")}, {"batch", std::int64_t{50}}};
    const auto trainer = *made("cem", fixed, 900, seed);
    trainer->advance(900, {}, [] {});
    learned += trainer->value().value() > -150 ? 1 : 0;
    EXPECT_LT(trainer->value().value(), 0);
  }
  EXPECT_GE(learned, 1);
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Episodic, a_checkpoint_continues_the_same_episodes) {
  const std::filesystem::path folder(testing::TempDir() + "/episodic-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const Params fixed{{"env", std::string("MinAtar-breakout")}, {"hidden", std::int64_t{16}}};
  const auto whole = *made("reinforce", fixed, 40), first = *made("reinforce", fixed, 40);
  whole->advance(40, {}, [] {});
  first->advance(20, {}, [] {});
  ASSERT_TRUE(first->save(folder / "model"));
  const auto second = *made("reinforce", fixed, 40);
  ASSERT_TRUE(second->load(folder / "model"));
  second->advance(40, {}, [] {});
  EXPECT_EQ(second->value(), whole->value());
  ASSERT_TRUE(whole->save(folder / "one"));
  ASSERT_TRUE(second->save(folder / "two"));
  EXPECT_EQ(content(folder / "one"), content(folder / "two"));
  const auto other = *made("reinforce", {{"hidden", std::int64_t{16}}}, 40);
  EXPECT_FALSE(other->load(folder / "model")) << "of another environment";
  std::filesystem::remove_all(folder);
}

// A file of hone 0.1.0 has neither an environment nor its state.
TEST(Episodic, an_earlier_model_of_cartpole_is_continued_and_evaluated) {
  const std::filesystem::path file(testing::TempDir() + "/earlier-" + std::to_string(getpid()));
  const auto trainer = *made("cem", {}, 64);
  trainer->advance(32, {}, [] {});
  ASSERT_TRUE(trainer->save(file));
  Json document = *parse_json(content(file));
  document["format"] = "hone-episodic-1";
  document["episode_steps"] = 200;
  document.erase("env");
  document.erase("game");
  std::ofstream(file, std::ios::binary) << document.dump();
  const auto later = *made("cem", {}, 64);
  ASSERT_TRUE(later->load(file));
  later->advance(64, {}, [] {});
  EXPECT_EQ(later->step(), 64);
  EvaluationPlan plan;
  plan.model = file;
  plan.episodes = 5;
  const auto evaluated = evaluate(plan);
  ASSERT_TRUE(evaluated) << evaluated.error().detail;
  EXPECT_EQ(evaluated->env, "CartPole-v0");
  EXPECT_EQ(evaluated->returns.size(), 5U);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace hone::trainers::episodic
