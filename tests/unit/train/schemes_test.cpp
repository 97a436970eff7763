// A3C and A2C compared with GA3C, and their results with several threads.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "worker/train/rl/model.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {
namespace {

class Schemes : public testing::Test {
 protected:
  ~Schemes() override { std::filesystem::remove(file_); }

  static std::unique_ptr<Trainer> trainer(const char* name, const Params& params,
                                          std::int64_t budget = 20'000) {
    auto settings = Settings::resolve(*find_trainer(name), {}, params);
    EXPECT_TRUE(settings.ok());
    auto made = find_trainer_row(name)->make({std::move(settings).value(), 1, budget});
    EXPECT_TRUE(made.ok());
    return std::move(made).value();
  }

  rl::Model after(Trainer& trainer, std::int64_t step) {
    trainer.advance(step, {}, [] {});
    EXPECT_TRUE(trainer.save(file_).ok());
    return rl::read_model(file_).value();
  }

  static Params shape(std::int64_t agents, std::int64_t envs) {
    return {{"agents", agents}, {"envs", envs}, {"t_max", std::int64_t{8}}};
  }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("hone-schemes-" + std::to_string(::getpid()));
};

// The queues of GA3C change the timing, not the results.
TEST_F(Schemes, of_one_agent_train_the_same) {
  auto params = shape(1, 16);
  const auto a2c = after(*trainer("a2c", params), 20'000);
  const auto a3c = after(*trainer("a3c", params), 20'000);
  params.push_back({"train_batch", std::int64_t{128}});
  const auto ga3c = after(*trainer("ga3c", params), 20'000);
  EXPECT_EQ(a2c.parameters.weights, a3c.parameters.weights);
  EXPECT_EQ(a2c.parameters.weights, ga3c.parameters.weights);
  EXPECT_EQ(a2c.parameters.updates, ga3c.parameters.updates);
}

// Without the scale of rewards, which all agents update in the order in which they come.
TEST_F(Schemes, a2c_repeats_itself_bit_for_bit_with_several_agents) {
  auto params = shape(4, 4);
  params.push_back({"reward_scale", std::string("no")});
  const auto first = after(*trainer("a2c", params), 20'000);
  const auto second = after(*trainer("a2c", params), 20'000);
  EXPECT_EQ(first.parameters.weights, second.parameters.weights);
  EXPECT_EQ(first.episodes.finished, second.episodes.finished);
  EXPECT_EQ(first.parameters.frames, first.frames);
}

TEST_F(Schemes, a2c_updates_once_for_all_its_agents) {
  const auto model = after(*trainer("a2c", shape(4, 4)), 20'480);
  EXPECT_EQ(model.parameters.updates, 20'480 / (4 * 4 * 8));
}

TEST_F(Schemes, a3c_trains_every_frame_of_every_agent) {
  const auto model = after(*trainer("a3c", shape(4, 4)), 20'000);
  EXPECT_EQ(model.parameters.frames, model.frames);
  EXPECT_GE(model.parameters.updates, 20'000 / (4 * 8));
  EXPECT_EQ(model.groups.size(), 4U);
}

TEST_F(Schemes, take_long_rollouts_in_several_batches) {
  Params params = shape(1, 32);
  params[2].value = std::int64_t{100};
  const auto model = after(*trainer("a2c", params), 12'800);
  EXPECT_EQ(model.parameters.updates, 4);
  EXPECT_EQ(model.parameters.frames, 12'800);
}

TEST_F(Schemes, learn_to_balance_and_to_swing_up) {
  for (const char* name : {"a2c", "a3c"}) {
    const auto balancing = trainer(name, {}, 400'000);
    balancing->advance(400'000, {}, [] {});
    EXPECT_GT(balancing->value().value(), 150) << name;  // 22 by chance
    const auto swinging = trainer(name, {{"env", std::string("Acrobot-v1")}}, 300'000);
    swinging->advance(300'000, {}, [] {});
    EXPECT_GT(swinging->value().value(), -150) << name;  // -499 by chance
  }
}

TEST_F(Schemes, end_a_phase_when_a_stop_is_requested) {
  for (const char* name : {"a2c", "a3c"}) {
    const auto agent = trainer(name, shape(3, 4), 1'000'000'000);
    std::stop_source stop;
    agent->advance(1'000'000'000, stop.get_token(), [&] { stop.request_stop(); });
    EXPECT_LT(agent->step(), 1'000'000'000);
    EXPECT_FALSE(agent->value().is_diverged());
  }
}

}  // namespace
}  // namespace hone::trainers
