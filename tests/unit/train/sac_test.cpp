// The trainer sac: its settings, equal seeds, and runs that continue from their files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/train/given_trainer.hpp"
#include "worker/train/continuous/options.hpp"
#include "worker/train/nn/tensor_file.hpp"

namespace hone::sac {
namespace {

using trainers::Settings;
using trainers::Trainer;

trainers::TrainingJob job_of(const Params& params) {
  return GivenTrainer("sac", 5000).job_of(params);
}

class Sac : public testing::Test, public GivenTrainer {
 protected:
  Sac() : GivenTrainer("sac", 5000) {}

  // Writes the file again after `change` has seen the tensor of this name.
  template <class T>
  void change_tensor(const char* name, const std::function<void(std::vector<T>&)>& change) {
    auto file = trainers::read_tensor_file(path_).value();
    for (auto& tensor : file.tensors)
      if (tensor.name == name) change(std::get<std::vector<T>>(tensor.data));
    ASSERT_TRUE(trainers::write_tensor_file(path_, file).ok());
  }
};

const Params short_start{count("learning_starts", 200), count("hidden", 16), count("batch", 32)};

TEST_F(Sac, of_equal_seeds_gives_equal_files) {
  std::vector<std::string> files;
  for (const std::uint64_t seed : {1U, 1U, 2U}) {
    const auto trainer = made(short_start, seed);
    trainer->advance(700, {}, [] {});
    files.push_back(saved(*trainer));
  }
  EXPECT_EQ(files[0], files[1]);
  EXPECT_NE(files[0], files[2]);
}

struct Resumed {
  const char* name;
  Params params;
};

void PrintTo(const Resumed& resumed, std::ostream* out) { *out << resumed.name; }

class ResumedSac : public Sac, public testing::WithParamInterface<Resumed> {};

TEST_P(ResumedSac, continues_to_the_same_bytes) {
  const auto params = with(short_start, GetParam().params);
  const auto whole = made(params);
  whole->advance(1200, {}, [] {});
  const auto expected = saved(*whole);
  auto part = made(params);
  for (const std::int64_t step : {100, 501, 844}) {  // before training, and in mid-episode
    part->advance(step, {}, [] {});
    saved(*part);
    part = made(params);
    const auto loaded = part->load(path_);
    ASSERT_TRUE(loaded.ok()) << loaded.error().detail;
  }
  part->advance(1200, {}, [] {});
  EXPECT_EQ(saved(*part), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ResumedSac,
    testing::Values(Resumed{"plain", {}}, Resumed{"held_actions", {count("random_hold", 7)}},
                    Resumed{"fixed_temperature", {word("automatic", "no"), {"temperature", 0.2}}},
                    Resumed{"several_environments", {count("envs", 3), count("n_step", 3)}},
                    Resumed{"bursts", {count("train_every", 16), count("updates", 4)}},
                    Resumed{"mountain_car", {word("env", "MountainCarContinuous-v0")}}),
    [](const auto& resumed) { return std::string(resumed.param.name); });

TEST_F(Sac, without_its_memory_in_the_file_fills_it_again) {
  const auto params = with(short_start, {word("checkpoint_replay", "no")});
  const auto before = made(params);
  before->advance(500, {}, [] {});
  saved(*before);
  const auto after = made(params);
  ASSERT_TRUE(after->load(path_).ok());
  EXPECT_EQ(after->step(), 500);
  after->advance(1000, {}, [] {});
  EXPECT_FALSE(after->value().is_diverged());
}

TEST_F(Sac, refuses_files_of_other_settings_and_other_trainers) {
  saved(*made(short_start));
  const auto refused = [&](const Params& params) { return !made(params)->load(path_).ok(); };
  EXPECT_FALSE(refused(short_start));
  EXPECT_TRUE(refused(with(short_start, {word("env", "MountainCarContinuous-v0")})));
  EXPECT_TRUE(refused({count("hidden", 32)}));
  EXPECT_TRUE(refused(with(short_start, {count("envs", 2)})));
  const Params pendulum{word("env", "Pendulum-v1")};
  auto settings = Settings::resolve(*find_trainer("ppo"), pendulum, {});
  const auto ppo = trainers::find_trainer_row("ppo")->make({*std::move(settings), 1, 1000}).value();
  EXPECT_FALSE(ppo->load(path_).ok());
  ASSERT_TRUE(ppo->save(path_).ok());
  EXPECT_TRUE(refused(short_start));
}

TEST_F(Sac, refuses_damaged_critics_actions_and_temperatures) {
  const auto trainer = made(short_start);
  trainer->advance(300, {}, [] {});
  for (const float action : {1.5F, -2.0F, std::nanf("")}) {
    saved(*trainer);
    change_tensor<float>("replay.actions", [&](auto& actions) { actions[7] = action; });
    EXPECT_FALSE(made(short_start)->load(path_).ok()) << action;
  }
  saved(*trainer);
  change_tensor<float>("critic2.hidden.bias", [](auto& biases) { biases.pop_back(); });
  EXPECT_FALSE(made(short_start)->load(path_).ok());
  for (const char* text : {"", "{}", R"({"log":"x","adam":{}})", R"({"log":0,"adam":{}})"}) {
    saved(*trainer);
    auto file = trainers::read_tensor_file(path_).value();
    for (auto& [key, value] : file.texts)
      if (key == "temperature") value = text;
    ASSERT_TRUE(trainers::write_tensor_file(path_, file).ok());
    EXPECT_FALSE(made(short_start)->load(path_).ok()) << text;
  }
}

TEST_F(Sac, is_evaluated_by_its_means_or_by_drawn_actions) {
  const auto trainer = made(short_start);
  trainer->advance(500, {}, [] {});
  saved(*trainer);
  trainers::EvaluationPlan plan;
  plan.model = path_;
  plan.episodes = 5;
  const auto best = trainers::find_trainer_row("sac")->evaluate(plan);
  ASSERT_TRUE(best.ok()) << best.error().detail;
  EXPECT_EQ(best->env, "Pendulum-v1");
  EXPECT_EQ(best->returns.size(), 5U);
  plan.sample = true;
  const auto drawn = trainers::find_trainer_row("sac")->evaluate(plan);
  ASSERT_TRUE(drawn.ok());
  EXPECT_NE(drawn->returns, best->returns);
}

TEST_F(Sac, learns_to_swing_up) {
  const auto trainer = made({});
  trainer->advance(8000, {}, [] {});
  saved(*trainer);
  trainers::EvaluationPlan plan;
  plan.model = path_;
  plan.episodes = 20;
  const auto played = trainers::find_trainer_row("sac")->evaluate(plan);
  double sum = 0;
  for (const double one : played->returns) sum += one;
  EXPECT_GT(sum / 20, -400) << "a random player has -1200";
}

TEST_F(Sac, reports_its_telemetry) {
  const auto trainer = made(short_start);
  trainer->advance(700, {}, [] {});
  std::vector<std::string_view> names;
  for (const auto& [name, value] : trainer->take_metrics()) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    names.push_back(name);
  }
  for (const char* name : {"episode_return", "q_loss", "q_value", "entropy", "temperature"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(SacOptions, have_the_published_defaults) {
  // Where no environment has a preset.
  const Params elsewhere{word("env", "gym:Elsewhere-v0")};
  const auto settings = Settings::resolve(*find_trainer("sac"), elsewhere, {}).value();
  EXPECT_EQ(settings.real("learning_rate"), 3e-4);
  EXPECT_EQ(settings.real("target_rate"), 0.005);
  EXPECT_EQ(settings.real("gamma"), 0.99);
  EXPECT_EQ(settings.integer("batch"), 256);
  EXPECT_EQ(settings.integer("hidden"), 256);
  EXPECT_EQ(settings.integer("replay_size"), 1'000'000);
  EXPECT_EQ(options_of(job_of({}))->learning.target_entropy, -1);
}

TEST(SacOptions, that_cannot_work_are_refused_with_the_setting) {
  const std::vector<std::pair<Params, const char*>> cases{
      {{word("env", "CartPole-v1")}, "/env"},
      {{word("env", "MinAtar-seaquest")}, "/env"},
      {{count("envs", 100), count("replay_size", 200)}, "/replay_size"}};
  for (const auto& [params, at] : cases) {
    const auto options = options_of(job_of(params));
    ASSERT_FALSE(options.ok()) << at;
    EXPECT_EQ(options.error().at, at);
  }
}

TEST(SacOptions, of_every_environment_with_continuous_actions_are_accepted) {
  for (const auto& row : envs::env_table()) {
    if (row.spec->action_kind == envs::ActionKind::discrete) continue;
    const Params params{{"env", std::string(row.name)}};
    EXPECT_TRUE(options_of(job_of(params)).ok()) << row.name;
  }
}

}  // namespace
}  // namespace hone::sac
