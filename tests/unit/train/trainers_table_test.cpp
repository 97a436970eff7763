// The tables of trainers and environments, and what a sweep trains on.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "schemas/trainers/check.hpp"
#include "schemas/trainers/environments.hpp"
#include "schemas/trainers/words.hpp"
#include "schemas/types/wire.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/table.hpp"

namespace hone {
namespace {

#define HONE_NAME(name, place, function, actions) name,
const std::vector<std::string_view> environments{HONE_ENVIRONMENTS(HONE_NAME, HONE_NAME)};
#undef HONE_NAME

TEST(EnvironmentTable, has_every_name_once) {
  const std::set<std::string_view> distinct(environments.begin(), environments.end());
  EXPECT_EQ(distinct.size(), environments.size());
  EXPECT_EQ(environments.size(), 13U);
}

TEST(EnvironmentTable, is_what_hone_train_makes_and_what_sweeps_may_name) {
  const auto* setting = find_setting(*find_trainer("ga3c"), "env");
  for (const auto name : environments) {
    EXPECT_TRUE(trainers::parse_setting(*setting, name).ok()) << name;
    const auto found = envs::find_env(name);
    EXPECT_TRUE(found.ok() || found.error().detail.find("needs Box2D") != std::string::npos)
        << name;
  }
  for (const auto& row : envs::env_table())
    EXPECT_NE(std::find(environments.begin(), environments.end(), row.name), environments.end());
}

TEST(EnvironmentTable, keeps_the_order_and_the_patterns_of_other_programs) {
  const auto words = trainers::words_of(find_setting(*find_trainer("a2c"), "env")->words);
  ASSERT_EQ(words.size(), environments.size() + 2);
  EXPECT_TRUE(std::equal(environments.begin(), environments.end(), words.begin()));
  EXPECT_EQ(words[words.size() - 2], "gym:*");
  EXPECT_EQ(words.back(), "atari:*");
}

TEST(EnvironmentTable, states_the_kind_of_actions_that_each_environment_has) {
  const auto& discrete = *find_trainer("dqn");
  const auto& continuous = *find_trainer("sac");
  for (const auto& row : envs::env_table()) {
    const bool is_discrete = row.spec->action_kind == envs::ActionKind::discrete;
    EXPECT_EQ(trainers::check_actions(discrete, row.name).ok(), is_discrete) << row.name;
    EXPECT_EQ(trainers::check_actions(continuous, row.name).ok(), !is_discrete) << row.name;
  }
}

TEST(EnvironmentTable, suggests_a_name_for_a_misspelled_one) {
  const auto found = envs::find_env("CartPole-v2");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().at, "/env");
  EXPECT_NE(found.error().detail.find("did you mean 'CartPole-v1'"), std::string::npos);
}

TEST(Words, that_end_in_a_star_accept_all_longer_words_with_that_beginning) {
  const auto setting = setting_rows::word("x", SettingGroup::task, "plain gym:*", "plain", "");
  const auto accepts = [&](std::string_view text) {
    return trainers::parse_setting(setting, text).ok();
  };
  EXPECT_TRUE(accepts("plain"));
  EXPECT_FALSE(accepts("gym:"));
  EXPECT_TRUE(accepts("gym:Any-v1"));
  EXPECT_FALSE(accepts("gym"));
  EXPECT_FALSE(accepts("plain2"));
  EXPECT_FALSE(accepts(""));
}

TEST(TrainerCatalog, has_the_trainers_in_the_order_of_the_rows) {
  std::vector<std::string_view> names;
  for (const auto& info : trainer_catalog()) names.push_back(info.name);
  const std::vector<std::string_view> expected{"ga3c", "a3c",       "a2c",    "ppo", "impala",
                                               "dqn",  "apex",      "gorila", "sac", "placement",
                                               "cem",  "reinforce", "harmony"};
  EXPECT_EQ(names, expected);
  std::vector<std::string_view> rows;
  for (const auto& row : trainers::trainer_table()) rows.push_back(row.name);
  EXPECT_EQ(rows, names);
}

TEST(TrainerCatalog, gives_every_setting_a_help_text_and_every_trainer_a_dataset) {
  for (const auto& info : trainer_catalog()) {
    EXPECT_NE(info.dataset, nullptr) << info.name;
    std::set<std::string_view> names;
    for (const auto& setting : info.settings) {
      EXPECT_FALSE(setting.help.empty()) << info.name << " " << setting.name;
      EXPECT_TRUE(names.insert(setting.name).second) << info.name << " " << setting.name;
    }
  }
}

TEST(TrainerCatalog, has_no_row_for_an_unknown_name) {
  EXPECT_EQ(find_trainer("ga3"), nullptr);
  EXPECT_EQ(trainers::find_trainer_row(""), nullptr);
  EXPECT_EQ(find_setting(*find_trainer("placement"), "env"), nullptr);
}

DatasetInfo dataset(const char* trainer, const Params& fixed, const Space& space = {}) {
  return find_trainer(trainer)->dataset(fixed, space);
}

TEST(Dataset, of_an_actor_critic_is_the_environment_that_the_sweep_fixes) {
  for (const char* trainer :
       {"ga3c", "a3c", "a2c", "ppo", "impala", "dqn", "apex", "gorila", "sac"}) {
    EXPECT_EQ(dataset(trainer, {{"env", std::string("Acrobot-v1")}}),
              (DatasetInfo{"Acrobot-v1", "hone-1", ""}));
    EXPECT_TRUE(dataset(trainer, {}).name.empty()) << "the sweep searches or leaves it out";
  }
}

TEST(Dataset, of_placement_is_the_graph_with_its_digest) {
  const Params graph{{"graph", std::string("rnnlm")}};
  EXPECT_EQ(dataset("placement", graph), (DatasetInfo{"rnnlm", "hone-1", ""}));
  auto with_digest = graph;
  with_digest.push_back({"graph_digest", std::string("00ff")});
  EXPECT_EQ(dataset("placement", with_digest), (DatasetInfo{"rnnlm", "hone-1", "00ff"}));
  EXPECT_TRUE(dataset("placement", {}).name.empty());
}

struct CartPole {
  const char* name;
  Params fixed;
  const char* dataset;
};

void PrintTo(const CartPole& cartpole, std::ostream* out) { *out << cartpole.name; }

class DatasetOfCartPole : public testing::TestWithParam<CartPole> {};

TEST_P(DatasetOfCartPole, is_named_after_the_length_of_an_episode) {
  for (const char* trainer : {"cem", "reinforce"})
    EXPECT_EQ(dataset(trainer, GetParam().fixed), (DatasetInfo{GetParam().dataset, "hone-1", ""}));
}

INSTANTIATE_TEST_SUITE_P(
    Lengths, DatasetOfCartPole,
    testing::Values(CartPole{"none", {}, "CartPole-v0"},
                    CartPole{"v0", {{"episode_steps", std::int64_t{200}}}, "CartPole-v0"},
                    CartPole{"v1", {{"episode_steps", std::int64_t{500}}}, "CartPole-v1"},
                    CartPole{
                        "default_env",
                        {{"env", std::string("CartPole-v1")}, {"episode_steps", std::int64_t{0}}},
                        "CartPole-v0"},
                    CartPole{"another_env", {{"env", std::string("Acrobot-v1")}}, "Acrobot-v1"},
                    CartPole{"other", {{"episode_steps", std::int64_t{300}}}, "CartPole"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Dataset, of_cem_has_no_version_if_the_sweep_searches_the_length) {
  const Space space{{"episode_steps", IntDomain{100, 500}, ""}};
  EXPECT_EQ(dataset("cem", {}, space).name, "CartPole");
}

}  // namespace
}  // namespace hone
