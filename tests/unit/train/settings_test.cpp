#include "schemas/trainers/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "schemas/trainers/check.hpp"
#include "schemas/trainers/presets.hpp"
#include "schemas/trainers/words.hpp"
#include "schemas/types/spec.hpp"
#include "tests/unit/case_name.hpp"

namespace hone::trainers {
namespace {

const TrainerInfo& ga3c() { return *find_trainer("ga3c"); }

TEST(Settings, take_the_trials_parameters_over_the_fixed_ones_over_defaults) {
  const auto settings = Settings::resolve(ga3c(), {{"t_max", std::int64_t{5}}, {"gamma", 0.9}},
                                          {{"t_max", std::int64_t{20}}});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->integer("t_max"), 20);
  EXPECT_EQ(settings->real("gamma"), 0.9);
  EXPECT_TRUE(settings->given("gamma"));
  EXPECT_FALSE(settings->given("entropy"));
  EXPECT_EQ(settings->word("env"), "CartPole-v1");
}

TEST(Settings, take_whole_numbers_for_real_settings_and_whole_reals_for_integers) {
  const auto settings =
      Settings::resolve(ga3c(), {}, {{"learning_rate", std::int64_t{1}}, {"t_max", 8.0}});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->real("learning_rate"), 1.0);
  EXPECT_EQ(settings->integer("t_max"), 8);
}

struct Refused {
  Param param;
  const char* sentence_has;
};

class RefusedSetting : public testing::TestWithParam<Refused> {};

TEST_P(RefusedSetting, says_what_is_wrong_and_where) {
  const auto settings = Settings::resolve(ga3c(), {}, {GetParam().param});
  ASSERT_FALSE(settings.ok());
  EXPECT_EQ(settings.error().code, Code::invalid);
  EXPECT_EQ(settings.error().at, "/" + GetParam().param.name);
  EXPECT_NE(settings.error().detail.find(GetParam().sentence_has), std::string::npos)
      << settings.error().detail;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedSetting,
    testing::Values(Refused{{"learningrate", 0.1}, "did you mean 'learning_rate'"},
                    Refused{{"t_max", 2.5}, "whole number"},
                    Refused{{"t_max", std::int64_t{0}}, "from 1 to 1000, not 0"},
                    Refused{{"gamma", 1.5}, "from 0 to 1, not 1.5"},
                    Refused{{"gamma", std::string("x")}, "a number"},
                    Refused{{"mode", std::string("parit")}, "did you mean 'parity'"},
                    Refused{{"env", true}, "one of"}),
    [](const auto& one) { return case_name(one.param.param.name, one.index); });

TEST(Settings, have_a_valid_default_for_every_trainer) {
  for (const auto& trainer : trainer_catalog()) {
    const auto settings = Settings::resolve(trainer, {}, {});
    EXPECT_TRUE(settings.ok()) << trainer.name << ": "
                               << (settings.ok() ? "" : settings.error().detail);
  }
}

Settings settings_in(const char* trainer, const char* env, Params params = {}) {
  params.push_back({"env", std::string(env)});
  return Settings::resolve(*find_trainer(trainer), params, {}).value();
}

TEST(Presets, apply_to_what_was_not_given) {
  const auto lander = settings_in("ga3c", "LunarLander-v3", {{"gamma", 0.9}});
  EXPECT_EQ(lander.preset().name, "LunarLander");
  EXPECT_EQ(lander.real("gamma"), 0.9);
  EXPECT_EQ(find(lander.preset().values, "gamma"), nullptr);
  EXPECT_EQ(lander.integer("t_max"), 64);
  EXPECT_FALSE(lander.given("t_max"));
  EXPECT_TRUE(lander.stated("t_max"));
  EXPECT_FALSE(lander.stated("rmsprop_decay"));
  EXPECT_TRUE(settings_in("ga3c", "CartPole-v1").preset().name.empty());
}

// gym:LunarLander-v3 trained with the defaults of CartPole, while LunarLander-v3 had its preset.
TEST(Presets, are_those_of_the_environment_however_it_is_written) {
  for (const auto& [one, other] : std::vector<std::pair<const char*, const char*>>{
           {"CartPole-v1", "gym:CartPole-v1"},
           {"LunarLander-v3", "gym:LunarLander-v3"},
           {"LunarLander-v3", "gym:LunarLander-v2"},
           {"LunarLanderContinuous-v3", "gym:LunarLander-v3?continuous=true"},
           {"Pendulum-v1", "gym:Pendulum-v1"},
           {"atari:Pong", "atari:Breakout?stack_num=2"}})
    for (const char* trainer : {"ga3c", "a3c", "a2c", "ppo", "dqn", "apex", "gorila"})
      EXPECT_EQ(settings_in(trainer, one).preset().name, settings_in(trainer, other).preset().name)
          << trainer << " " << other;
  EXPECT_EQ(settings_in("sac", "gym:LunarLander-v3?continuous=true").preset().name,
            "LunarLanderContinuous");
}

TEST(Presets, are_not_those_of_an_environment_that_is_only_called_alike) {
  for (const char* env :
       {"gym:CartPole-v1?sutton_barto_reward=true", "gym:CartPoleSwingUp-v1", "gym:CartPole-v9",
        "gym:LunarLander-v3?enable_wind=true", "gym:my_module:LunarLander", "gym:ALE/Pong-v5"})
    for (const char* trainer : {"ga3c", "ppo", "dqn"})
      EXPECT_EQ(settings_in(trainer, env).preset().name,
                settings_in(trainer, "gym:X").preset().name)
          << trainer << " " << env;
}

// Every environment of a user trained without scaled observations, which most of them need.
TEST(Presets, of_an_unknown_environment_scale_its_observations) {
  for (const char* trainer : {"ga3c", "a3c", "a2c", "ppo", "impala", "dqn"}) {
    const auto settings = settings_in(trainer, "gym:MyEnv-v0");
    EXPECT_EQ(settings.preset().name, "general") << trainer;
    EXPECT_EQ(settings.word("observation_scale"), "yes") << trainer;
  }
}

// A sweep that was submitted before ppo had a preset for MountainCar continues without it.
TEST(Presets, are_those_of_the_generation_that_a_sweep_records) {
  const auto in = [](std::int64_t generation) {
    return settings_in("ppo", "MountainCar-v0", {{"presets", generation}}).preset().name;
  };
  EXPECT_EQ(in(0), "");
  EXPECT_EQ(in(1), "");
  EXPECT_EQ(in(2), "general");
  EXPECT_EQ(settings_in("ppo", "MountainCar-v0").integer("presets"), newest_presets);
  EXPECT_EQ(settings_in("dqn", "CartPole-v1", {{"presets", std::int64_t{0}}}).preset().name, "");
}

TEST(Presets, have_one_row_for_each_trainer_environment_and_generation) {
  for (const auto& trainer : trainer_catalog())
    for (const auto task : {"CartPole", "Pendulum", "LunarLander", "MinAtar", "other"})
      for (int generation = 1; generation <= newest_presets; ++generation)
        EXPECT_LE(std::ranges::count_if(preset_table(),
                                        [&](const Preset& one) {
                                          return has_word(one.trainers, trainer.name) &&
                                                 has_word(one.tasks, task) &&
                                                 one.since <= generation && generation <= one.until;
                                        }),
                  1)
            << trainer.name << " " << task;
}

TEST(Presets, are_recorded_where_a_sweep_names_none) {
  SweepSpec spec;
  spec.trainer = BuiltinTrainer{"ppo", {}};
  choose_presets(spec);
  const Params newest{{"presets", std::int64_t{newest_presets}}};
  EXPECT_EQ(std::get<BuiltinTrainer>(spec.trainer).settings, newest);
  const Params first{{"presets", std::int64_t{1}}};
  spec.trainer = BuiltinTrainer{"ppo", first};
  choose_presets(spec);
  EXPECT_EQ(std::get<BuiltinTrainer>(spec.trainer).settings, first);
  spec.trainer = BuiltinTrainer{"placement", {}};
  choose_presets(spec);
  EXPECT_TRUE(std::get<BuiltinTrainer>(spec.trainer).settings.empty());
}

TEST(Presets, name_other_trainers_only_where_one_does_not_learn) {
  EXPECT_FALSE(better_trainers("cem", "gym:MountainCar-v0").empty());
  EXPECT_TRUE(better_trainers("dqn", "MountainCar-v0").empty());
  EXPECT_TRUE(better_trainers("cem", "gym:MyEnv-v0").empty());
}

TEST(Presets, have_values_that_their_trainers_accept_and_tasks_that_exist) {
  std::set<std::string_view> tasks{"Atari", "other"};
  for (const auto name : words_of(find_setting(ga3c(), "env")->words))
    if (!name.ends_with('*')) tasks.insert(task_of(name));
  for (const Preset& preset : preset_table()) {
    for (const auto task : words_of(preset.tasks)) EXPECT_TRUE(tasks.contains(task)) << task;
    std::set<std::string_view> used;
    for (const auto name : words_of(preset.trainers)) {
      ASSERT_NE(find_trainer(name), nullptr) << name;
      for (const auto assignment : words_of(preset.settings)) {
        const auto setting = assignment.substr(0, assignment.find('='));
        if (find_setting(*find_trainer(name), setting) == nullptr) continue;
        used.insert(assignment);
        EXPECT_TRUE(parse_assignment(*find_trainer(name), assignment).ok()) << assignment;
      }
    }
    EXPECT_EQ(used.size(), words_of(preset.settings).size()) << preset.trainers << preset.tasks;
  }
}

TEST(Presets, of_parity_are_what_was_published) {
  const auto ga3c = settings_in("ga3c", "MinAtar-breakout", {{"mode", std::string("parity")}});
  EXPECT_EQ(ga3c.preset().name, "published");
  EXPECT_EQ(ga3c.integer("agents"), 32);
  EXPECT_EQ(ga3c.word("dynamic"), "yes");
  const auto dqn = settings_in("dqn", "CartPole-v1", {{"mode", std::string("parity")}});
  EXPECT_EQ(dqn.integer("replay_size"), 1'000'000);
}

TEST(Settings, apply_only_with_values_that_another_setting_has) {
  for (const auto& trainer : trainer_catalog())
    for (const auto& setting : trainer.settings) {
      if (setting.applies.empty()) continue;
      const auto equals = setting.applies.find('=');
      const auto* other = find_setting(trainer, setting.applies.substr(0, equals));
      ASSERT_NE(other, nullptr) << trainer.name << " " << setting.name;
      for (const auto value : words_of(setting.applies.substr(equals + 1), ','))
        EXPECT_TRUE(has_word(other->words, value)) << trainer.name << " " << setting.name;
    }
}

TEST(Settings, read_numbers_of_the_command_line) {
  EXPECT_EQ(std::get<double>(*parse_setting(*find_setting(ga3c(), "learning_rate"), "1e-3")), 1e-3);
  EXPECT_FALSE(parse_setting(*find_setting(ga3c(), "t_max"), "8x").ok());
  EXPECT_FALSE(parse_setting(*find_setting(ga3c(), "t_max"), "").ok());
  EXPECT_FALSE(parse_setting(*find_setting(ga3c(), "learning_rate"), "nan").ok());
}

}  // namespace
}  // namespace hone::trainers
