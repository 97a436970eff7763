// The trainer dqn: its settings, equal seeds, and runs that continue from their files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "tests/unit/train/given_trainer.hpp"
#include "worker/train/nn/tensor_file.hpp"
#include "worker/train/rl/model.hpp"
#include "worker/train/value/options.hpp"

namespace hone::q {
namespace {

using trainers::Settings;
using trainers::Trainer;

trainers::TrainingJob job_of(const Params& params) {
  return GivenTrainer("dqn", 5000).job_of(params);
}

class Dqn : public testing::Test, public GivenTrainer {
 protected:
  Dqn() : GivenTrainer("dqn", 5000) {}
};

const Params short_start{count("learning_starts", 300), count("hidden", 16)};

TEST_F(Dqn, of_equal_seeds_gives_equal_files) {
  for (const char* replay : {"uniform", "proportional", "rank"}) {
    const auto params = with(short_start, {word("replay", replay), count("n_step", 3)});
    std::vector<std::string> files;
    for (const std::uint64_t seed : {1U, 1U, 2U}) {
      const auto trainer = made(params, seed);
      trainer->advance(1500, {}, [] {});
      files.push_back(saved(*trainer));
    }
    EXPECT_EQ(files[0], files[1]) << replay;
    EXPECT_NE(files[0], files[2]) << replay;
  }
}

struct Resumed {
  const char* name;
  Params params;
};

void PrintTo(const Resumed& resumed, std::ostream* out) { *out << resumed.name; }

class ResumedDqn : public Dqn, public testing::WithParamInterface<Resumed> {};

TEST_P(ResumedDqn, continues_to_the_same_bytes) {
  const auto params = with(short_start, GetParam().params);
  const auto whole = made(params);
  whole->advance(2500, {}, [] {});
  const auto expected = saved(*whole);
  auto part = made(params);
  for (const std::int64_t step : {200, 901, 1444}) {  // before training, and in mid-episode
    part->advance(step, {}, [] {});
    saved(*part);
    part = made(params);
    const auto loaded = part->load(path_);
    ASSERT_TRUE(loaded.ok()) << loaded.error().detail;
  }
  part->advance(2500, {}, [] {});
  EXPECT_EQ(saved(*part), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ResumedDqn,
    testing::Values(
        Resumed{"uniform", {}}, Resumed{"proportional", {word("replay", "proportional")}},
        Resumed{"rank", {word("replay", "rank")}},
        Resumed{"small_memory", {count("replay_size", 500), count("n_step", 5)}},
        Resumed{"several_environments", {count("envs", 3), word("epsilon_schedule", "per_actor")}},
        Resumed{"rmsprop", {word("optimizer", "rmsprop_centered")}},
        Resumed{"planes", {word("env", "MinAtar-breakout"), count("replay_size", 2000)}},
        Resumed{"polyak", {{"target_rate", 0.01}, count("target_every", 1)}},
        Resumed{"scaled", {word("observation_scale", "yes"), count("envs", 2)}},
        Resumed{"neither_scaled_nor_averaged",
                {word("observation_scale", "no"), count("average_updates", 0)}},
        Resumed{"averaged", {count("average_updates", 50)}}),
    [](const auto& resumed) { return std::string(resumed.param.name); });

TEST_F(Dqn, without_its_memory_in_the_file_fills_it_again) {
  const auto params = with(short_start, {word("checkpoint_replay", "no")});
  const auto before = made(params);
  before->advance(1000, {}, [] {});
  const auto small = saved(*before).size();
  const auto after = made(params);
  ASSERT_TRUE(after->load(path_).ok());
  EXPECT_EQ(after->step(), 1000);
  after->advance(2000, {}, [] {});
  EXPECT_FALSE(after->value().is_diverged());
  const auto kept = made(short_start);
  kept->advance(1000, {}, [] {});
  EXPECT_LT(small, saved(*kept).size());
}

TEST_F(Dqn, refuses_files_of_other_settings_and_other_trainers) {
  made(short_start)->advance(400, {}, [] {});
  saved(*made(short_start));
  const auto refused = [&](const Params& params) { return !made(params)->load(path_).ok(); };
  EXPECT_FALSE(refused(short_start));
  EXPECT_TRUE(refused(with(short_start, {word("env", "Acrobot-v1")})));
  EXPECT_TRUE(refused({count("hidden", 32)}));
  EXPECT_TRUE(refused(with(short_start, {word("optimizer", "rmsprop")})));
  EXPECT_TRUE(refused(with(short_start, {count("envs", 2)})));
  EXPECT_TRUE(refused(with(short_start, {word("observation_scale", "no")})));
  EXPECT_FALSE(refused(with(short_start, {count("average_updates", 100)})));
  auto settings = Settings::resolve(*find_trainer("a2c"), {}, {});
  const auto a2c = trainers::find_trainer_row("a2c")->make({*std::move(settings), 1, 1000}).value();
  EXPECT_FALSE(a2c->load(path_).ok());
  ASSERT_TRUE(a2c->save(path_).ok());
  EXPECT_TRUE(refused(short_start));
}

TEST_F(Dqn, refuses_a_memory_with_an_action_that_does_not_exist) {
  const auto trainer = made(short_start);
  trainer->advance(400, {}, [] {});
  saved(*trainer);
  auto file = trainers::read_tensor_file(path_).value();
  for (const float action : {2.0F, -1.0F, std::nanf("")}) {
    for (auto& tensor : file.tensors)
      if (tensor.name == "replay.actions") std::get<std::vector<float>>(tensor.data)[7] = action;
    ASSERT_TRUE(trainers::write_tensor_file(path_, file).ok());
    EXPECT_FALSE(made(short_start)->load(path_).ok()) << action;
  }
}

// Frames since the last update are made up for at once: 2^62 of them without an end.
TEST_F(Dqn, a_file_with_more_frames_to_make_up_for_than_played_trained_without_an_end) {
  const auto trainer = made(short_start);
  trainer->advance(400, {}, [] {});
  saved(*trainer);
  auto file = trainers::read_tensor_file(path_).value();
  for (auto& [name, text] : file.texts) {
    if (name != "state") continue;
    auto state = Json::parse(text);
    state["trained_frames"] = std::int64_t{1} << 62U;
    text = state.dump();
  }
  ASSERT_TRUE(trainers::write_tensor_file(path_, file).ok());
  EXPECT_FALSE(made(short_start)->load(path_).ok());
}

TEST_F(Dqn, is_evaluated_by_its_best_actions_or_with_some_random_ones) {
  const auto trainer = made(short_start);
  trainer->advance(1000, {}, [] {});
  saved(*trainer);
  trainers::EvaluationPlan plan;
  plan.model = path_;
  plan.episodes = 5;
  const auto greedy = trainers::find_trainer_row("dqn")->evaluate(plan);
  ASSERT_TRUE(greedy.ok()) << greedy.error().detail;
  EXPECT_EQ(greedy->env, "CartPole-v1");
  EXPECT_EQ(greedy->returns.size(), 5U);
  plan.sample = true;
  EXPECT_TRUE(trainers::find_trainer_row("dqn")->evaluate(plan).ok());
}

TEST_F(Dqn, is_evaluated_by_its_averaged_weights) {
  const auto trainer = made(with(short_start, {count("average_updates", 100)}));
  trainer->advance(400, {}, [] {});
  saved(*trainer);
  auto model = rl::read_model(path_).value();
  const auto size = model.parameters.weights.size();
  EXPECT_EQ(model.average.size(), size);
  // The biases of the actions and of the value come last.
  std::vector<float> left(size, 0.0F), right(size, 0.0F);
  left[size - 3] = right[size - 2] = 1;
  const auto returns_of = [&](const std::vector<float>& weights,
                              const std::vector<float>& average) {
    model.parameters.weights = weights;
    model.average = average;
    EXPECT_TRUE(rl::write_model(path_, model).ok());
    trainers::EvaluationPlan plan;
    plan.model = path_;
    plan.episodes = 20;
    return trainers::find_trainer_row("dqn")->evaluate(plan).value().returns;
  };
  EXPECT_EQ(returns_of(left, right), returns_of(right, {}));
  EXPECT_NE(returns_of(left, right), returns_of(left, {}));
}

TEST_F(Dqn, scales_observations_by_those_that_it_has_played) {
  const auto trainer = made(with(short_start, {word("observation_scale", "yes")}));
  trainer->advance(1000, {}, [] {});
  saved(*trainer);
  const auto scale = rl::read_model(path_)->observations;
  EXPECT_EQ(scale.count, 1000);
  EXPECT_EQ(scale.mean.size(), 4U);
  const auto plain = made(with(short_start, {word("observation_scale", "no")}));
  plain->advance(1000, {}, [] {});
  saved(*plain);
  EXPECT_TRUE(rl::read_model(path_)->observations.mean.empty());
}

TEST_F(Dqn, learns_to_balance) {
  const auto trainer = made({count("train_every", 4), count("updates", 1)});
  trainer->advance(5000, {}, [] {});
  EXPECT_GT(trainer->value().value(), 30) << "a random player has 22";
}

TEST_F(Dqn, reports_its_telemetry) {
  const auto trainer = made(short_start);
  trainer->advance(1000, {}, [] {});
  std::vector<std::string_view> names;
  for (const auto& [name, value] : trainer->take_metrics()) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    names.push_back(name);
  }
  for (const char* name : {"episode_return", "q_loss", "q_value", "epsilon", "replay_size"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(DqnOptions, of_parity_mode_are_the_published_values) {
  const auto options = options_of(job_of({word("mode", "parity")}));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->batch, 32);
  EXPECT_EQ(options->train_every, 4);
  EXPECT_EQ(options->learning_starts, 50'000);
  EXPECT_EQ(options->memory.slots, 1'000'000U);
  EXPECT_EQ(options->exploration.end, 0.1);
  EXPECT_EQ(options->exploration.frames, 1e6);
  EXPECT_EQ(options->reward_clip, 1);
  EXPECT_FALSE(options->learning.dueling);
  EXPECT_FALSE(options->learning.two_networks);
  EXPECT_EQ(options->learning.bound, 1);
  EXPECT_EQ(options->learning.target_every, 10'000);
  EXPECT_EQ(options->learning.optimizer.kind, nn::OptimizerKind::rmsprop_centered);
  EXPECT_EQ(options->learning.optimizer.decay, 0.95);
  EXPECT_EQ(options->learning.optimizer.epsilon, 0.01);
  EXPECT_EQ(options->rate.start, 2.5e-4);
  EXPECT_EQ(options->rate.end, 2.5e-4);
}

TEST(DqnOptions, of_parity_mode_yield_to_values_that_the_user_gives) {
  const auto options = options_of(job_of({word("mode", "parity"), count("batch", 8)}));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->batch, 8);
}

TEST(DqnOptions, keep_large_memories_out_of_checkpoints) {
  EXPECT_TRUE(options_of(job_of({}))->checkpoint_replay);
  const auto large = count("replay_size", 10'000'000);
  EXPECT_FALSE(options_of(job_of({large}))->checkpoint_replay);
  EXPECT_TRUE(options_of(job_of({large, word("checkpoint_replay", "yes")}))->checkpoint_replay);
}

TEST(DqnOptions, that_cannot_work_are_refused_with_the_setting) {
  const std::vector<std::pair<Params, const char*>> cases{
      {{word("env", "Pendulum-v1")}, "/env"},
      {{{"sticky", 0.5}}, "/sticky"},
      {{word("network", "conv")}, "/network"},
      {{word("env", "MinAtar-breakout"), word("observation_scale", "yes")}, "/observation_scale"},
      {{count("envs", 100), count("replay_size", 200)}, "/replay_size"},
      {{word("env", "MinAtar-seaquest"), count("replay_size", 100'000'000)}, "/replay_size"}};
  for (const auto& [params, at] : cases) {
    const auto options = options_of(job_of(params));
    ASSERT_FALSE(options.ok()) << at;
    EXPECT_EQ(options.error().at, at);
  }
}

TEST(DqnOptions, of_every_environment_with_discrete_actions_are_accepted) {
  for (const auto& row : envs::env_table()) {
    if (row.spec->action_kind == envs::ActionKind::continuous) continue;
    const Params params{{"env", std::string(row.name)}};
    EXPECT_TRUE(options_of(job_of(params)).ok()) << row.name;
  }
}

}  // namespace
}  // namespace hone::q
