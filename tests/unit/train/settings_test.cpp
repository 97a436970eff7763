#include "worker/train/settings/settings.hpp"

#include <gtest/gtest.h>

#include "worker/train/actor_critic/presets.hpp"

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
                    Refused{{"t_max", std::int64_t{0}}, "between 1 and"},
                    Refused{{"gamma", 1.5}, "between 0 and 1"},
                    Refused{{"gamma", std::string("x")}, "a number"},
                    Refused{{"mode", std::string("parit")}, "did you mean 'parity'"},
                    Refused{{"env", true}, "one of"}));

TEST(Settings, have_a_valid_default_for_every_trainer) {
  for (const auto& trainer : trainer_catalog()) {
    const auto settings = Settings::resolve(trainer, {}, {});
    EXPECT_TRUE(settings.ok()) << trainer.name << ": "
                               << (settings.ok() ? "" : settings.error().detail);
  }
}

TEST(Settings, take_the_defaults_of_an_environment_unless_a_value_was_given) {
  const auto resolved = Settings::resolve(ga3c(), {{"gamma", 0.9}}, {});
  ASSERT_TRUE(resolved.ok());
  auto settings = *resolved;
  settings.suggest("gamma", "0.5");
  settings.suggest("t_max", "13");
  settings.suggest("no_such_setting", "1");
  EXPECT_EQ(settings.real("gamma"), 0.9);
  EXPECT_EQ(settings.integer("t_max"), 13);
  EXPECT_FALSE(settings.given("t_max"));
}

TEST(Presets, suit_an_environment_and_leave_the_others_alone) {
  const auto plain = Settings::resolve(ga3c(), {}, {});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(hone::ga3c::with_presets(*plain, "CartPole-v1").all(), plain->all());
  EXPECT_NE(hone::ga3c::with_presets(*plain, "LunarLander-v3").all(), plain->all());
}

TEST(Settings, read_numbers_of_the_command_line) {
  EXPECT_EQ(std::get<double>(*parse_setting(*find_setting(ga3c(), "learning_rate"), "1e-3")), 1e-3);
  EXPECT_FALSE(parse_setting(*find_setting(ga3c(), "t_max"), "8x").ok());
  EXPECT_FALSE(parse_setting(*find_setting(ga3c(), "t_max"), "").ok());
  EXPECT_FALSE(parse_setting(*find_setting(ga3c(), "learning_rate"), "nan").ok());
}

}  // namespace
}  // namespace hone::trainers
