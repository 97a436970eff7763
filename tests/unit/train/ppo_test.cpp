// PPO: its minibatches next to plain references, and runs that repeat and continue.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tests/unit/train/given_trainer.hpp"
#include "worker/train/actor_critic/learning/minibatches.hpp"
#include "worker/train/actor_critic/options.hpp"
#include "worker/train/envs/core/stream.hpp"

namespace hone::ac {
namespace {

using trainers::Settings;
using trainers::Trainer;

TEST(ApproximateKl, is_zero_for_the_old_policy_and_grows_with_the_distance) {
  const std::vector<float> old{-1, -2, -0.5F};
  EXPECT_NEAR(approximate_kl(std::vector<float>{-1, -2, -0.5F}, old), 0, 1e-12);
  const double r = std::exp(0.2);
  EXPECT_NEAR(approximate_kl(std::vector<float>{-0.8F, -1.8F, -0.3F}, old), r - 1 - 0.2, 1e-7);
}

TEST(Advantages, are_normalised_to_mean_zero_and_deviation_one) {
  std::vector<float> advantages{1, 2, 3, 4};
  normalize(advantages);
  const double deviation = std::sqrt(5.0 / 3);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(advantages[i], (static_cast<double>(i) - 1.5) / deviation, 1e-6);
  std::vector<float> lone{7};
  normalize(lone);
  EXPECT_EQ(lone[0], 7);
  std::vector<float> equal{2, 2};
  normalize(equal);
  EXPECT_EQ(equal[0], 0);
}

class Minibatches : public testing::Test {
 protected:
  static constexpr int columns = 4;
  static constexpr int steps = 10;

  Minibatches() {
    rollout_.steps = steps;
    envs::Stream random(5, envs::Purpose::weights, 0);
    for (int column = 0; column < columns; ++column) {
      pieces_.push_back({&rollout_, column});
      for (std::size_t t = 0; t < steps; ++t) {
        rollout_.actions(column)[t] = static_cast<std::int32_t>(t % 3);
        rollout_.returns(column)[t] = static_cast<float>(random.uniform(-1, 1));
        rollout_.advantages(column)[t] = static_cast<float>(random.uniform(-1, 1));
        rollout_.log_chances(column)[t] = static_cast<float>(std::log(1.0 / 3));
      }
    }
    for (int t = 0; t < steps; ++t)
      for (int i = 0; i < columns * 3; ++i)
        rollout_.observations(t)[i] = static_cast<float>(random.uniform(-1, 1));
  }

  static LearningRule rule() {
    LearningRule rule;
    rule.epochs = 3;
    rule.minibatches.count = 5;
    rule.loss.ratio_clip = 0.2;
    rule.optimizer.kind = nn::OptimizerKind::adam;
    rule.optimizer.decay = 0.999;
    rule.rate = {1e-2, 1e-2};
    rule.frames_total = 1'000'000;
    return rule;
  }

  static nn::NetShape net() {
    nn::NetShape net;
    net.inputs = 3;
    net.hidden = 8;
    net.actions = 3;
    return net;
  }

  ParameterServer::State trained(const LearningRule& rule, std::uint64_t seed = 1) {
    ParameterServer server(rule, net(), first_weights(net(), nn::WeightStart::scaled, 1), 1);
    MinibatchLearner learner(net(), columns * steps, nn::network_maker(nn::Backend::own).value(),
                             server, seed);
    learner.train(pieces_);
    meter_ = server.take_meter();
    return server.state();
  }

  Rollout rollout_{{columns, steps, 3, 0}};
  std::vector<Piece> pieces_;
  LearningMeter meter_;
};

TEST_F(Minibatches, train_every_sample_once_in_each_epoch) {
  const auto state = trained(rule());
  EXPECT_EQ(state.updates, 15);
  EXPECT_EQ(meter_.samples, 3 * columns * steps);
  EXPECT_EQ(state.frames, 3 * columns * steps);
  EXPECT_GT(meter_.kl, 0);
}

TEST_F(Minibatches, are_shuffled_by_the_seed_alone) {
  EXPECT_EQ(trained(rule()).weights, trained(rule()).weights);
  EXPECT_NE(trained(rule(), 2).weights, trained(rule()).weights);
}

TEST_F(Minibatches, as_many_as_samples_have_one_sample_each) {
  auto many = rule();
  many.minibatches.count = 1000;
  EXPECT_EQ(trained(many).updates, 3 * columns * steps);
}

TEST_F(Minibatches, stop_when_the_policy_has_moved_too_far_and_count_as_trained) {
  auto strict = rule();
  strict.minibatches.kl_stop = 1e-4;
  const auto state = trained(strict);
  EXPECT_GE(state.updates, 1) << "the first minibatch is of the old policy";
  EXPECT_LT(state.updates, 15);
  EXPECT_EQ(state.frames, 3 * columns * steps);
}

TEST_F(Minibatches, with_clipped_values_leave_values_alone_that_have_moved_enough) {
  auto clipped = rule();
  clipped.minibatches.value_clip = 1e-9;
  clipped.epochs = 1;
  clipped.minibatches.count = 1;
  // The predicted value was the target: any move away from it is clipped, towards it is not.
  for (int column = 0; column < columns; ++column)
    for (std::size_t t = 0; t < steps; ++t) rollout_.advantages(column)[t] = 0;
  clipped.loss.entropy = 0;
  clipped.entropy = {0, 0};
  const auto plain = trained(clipped).weights;
  clipped.minibatches.value_clip = 0;
  EXPECT_EQ(plain, trained(clipped).weights) << "the unclipped loss is the larger one";
  // The old value was far on the other side: only the clipped loss counts.
  for (int column = 0; column < columns; ++column)
    for (std::size_t t = 0; t < steps; ++t) {
      rollout_.returns(column)[t] = 0;
      rollout_.advantages(column)[t] = -100;  // the old value was 100
    }
  clipped.minibatches.value_clip = 1;
  clipped.minibatches.normalize = true;  // equal advantages become 0
  const auto parts = net_parts(net());
  const auto before = first_weights(net(), nn::WeightStart::scaled, 1);
  const auto after = trained(clipped).weights;
  EXPECT_EQ(after[parts.back().offset], before[parts.back().offset]) << parts.back().name;
}

trainers::TrainingJob ppo_job(const Params& params) {
  return GivenTrainer("ppo", 20'000).job_of(params);
}

class Ppo : public testing::TestWithParam<const char*>, public GivenTrainer {
 protected:
  Ppo() : GivenTrainer("ppo", 20'000) {}

  [[nodiscard]] Made of_seed(std::uint64_t seed) const {
    return made({word("env", GetParam()), {"kl_stop", 0.02}, {"value_clip", 0.2}}, seed);
  }
};

TEST_P(Ppo, of_equal_seeds_gives_equal_files_and_continues_to_the_same_bytes) {
  std::vector<std::string> files;
  for (const std::uint64_t seed : {1U, 1U, 2U}) {
    const auto trainer = of_seed(seed);
    for (const std::int64_t end : {4096, 8192}) trainer->advance(end, {}, [] {});
    files.push_back(saved(*trainer));
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_NE(files[0], files[2]);
  const auto first = of_seed(1);
  first->advance(4096, {}, [] {});
  saved(*first);
  const auto second = of_seed(1);
  const auto loaded = second->load(path_);
  ASSERT_TRUE(loaded.ok()) << loaded.error().detail;
  second->advance(8192, {}, [] {});
  EXPECT_EQ(saved(*second), files[0]);
}

INSTANTIATE_TEST_SUITE_P(Environments, Ppo,
                         testing::Values("CartPole-v1", "Pendulum-v1", "MinAtar-breakout"),
                         [](const auto& env) {
                           return std::string(env.param).substr(0, 4) == "MinA" ? "planes"
                                  : env.param[0] == 'C'                         ? "discrete"
                                                                                : "continuous";
                         });

TEST(PpoOptions, are_those_of_the_field) {
  const auto options = options_of(Scheme::ppo, ppo_job({}));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->counts, rl::WorkerCounts{});
  EXPECT_EQ(options->agent.epochs, 1) << "the client repeats, not the agent";
  EXPECT_TRUE(options->agent.bounded);
  EXPECT_EQ(options->agent.t_max, 128);
  EXPECT_EQ(options->agent.discount.lambda, 0.95);
  EXPECT_EQ(options->learning.epochs, 4);
  EXPECT_EQ(options->learning.minibatches.count, 4);
  EXPECT_TRUE(options->learning.minibatches.normalize);
  EXPECT_EQ(options->learning.loss.ratio_clip, 0.2);
  EXPECT_EQ(options->learning.optimizer.kind, nn::OptimizerKind::adam);
  EXPECT_EQ(options->learning.optimizer.clip, 0.5);
  EXPECT_EQ(options->learning.rate.end, 0);
}

TEST(PpoOptions, of_every_environment_are_accepted) {
  for (const auto& row : envs::env_table())
    EXPECT_TRUE(options_of(Scheme::ppo, ppo_job({{"env", std::string(row.name)}})).ok())
        << row.name;
}

TEST(PpoFiles, are_not_continued_by_another_trainer) {
  const auto path =
      std::filesystem::temp_directory_path() / ("hone-ppo-a2c-" + std::to_string(::getpid()));
  const Params same{{"envs", std::int64_t{8}},
                    {"hidden", std::int64_t{64}},
                    {"layers", std::int64_t{2}},
                    {"optimizer", std::string("adam")}};
  auto settings = Settings::resolve(*find_trainer("a2c"), same, {});
  const auto a2c = trainers::find_trainer_row("a2c")->make({*std::move(settings), 1, 1000}).value();
  const auto ppo = trainers::find_trainer_row("ppo")->make(ppo_job({})).value();
  ASSERT_TRUE(a2c->save(path).ok());
  const auto loaded = ppo->load(path);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().detail.find("another trainer"), std::string::npos);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace hone::ac
