// The contract of worker/train/run/trainer.hpp, for every trainer, and its entry in the catalog.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "worker/train/envs/table.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {

void PrintTo(const TrainerRow& row, std::ostream* out) { *out << row.name; }

namespace {

class EveryTrainer : public testing::TestWithParam<TrainerRow> {
 protected:
  static std::unique_ptr<Trainer> make(std::int64_t budget) {
    auto settings = Settings::resolve(*find_trainer(GetParam().name), {}, {});
    EXPECT_TRUE(settings.ok());
    auto made = GetParam().make({std::move(settings).value(), 1, budget});
    EXPECT_TRUE(made.ok());
    return std::move(made).value();
  }
};

TEST_P(EveryTrainer, has_an_entry_in_the_catalog) {
  const auto* info = find_trainer(GetParam().name);
  ASSERT_NE(info, nullptr);
  EXPECT_FALSE(info->summary.empty());
  EXPECT_FALSE(info->unit.empty());
  EXPECT_EQ(find_trainer_row(GetParam().name)->make, GetParam().make);
}

TEST_P(EveryTrainer, makes_every_environment_that_its_settings_allow) {
  const auto* setting = find_setting(*find_trainer(GetParam().name), "env");
  if (setting == nullptr) GTEST_SKIP() << "no environments";
  for (const auto word : words_of(*setting)) {
    if (word.ends_with('*')) continue;  // of other programs
    const auto found = envs::find_env(word);
    EXPECT_TRUE(found.ok() || found.error().detail.find("built without") != std::string::npos)
        << word;
  }
  for (const auto& row : envs::env_table()) {
    const auto words = words_of(*setting);
    EXPECT_NE(std::find(words.begin(), words.end(), row.name), words.end()) << row.name;
  }
}

TEST_P(EveryTrainer, reaches_the_requested_step_and_continues_from_its_file) {
  const auto file =
      std::filesystem::temp_directory_path() / ("hone-contract-" + std::to_string(::getpid()));
  const auto trainer = make(4000);
  trainer->advance(2000, {}, [] {});
  EXPECT_GE(trainer->step(), 2000);
  EXPECT_FALSE(trainer->value().is_diverged());
  ASSERT_TRUE(trainer->save(file).ok());
  const auto resumed = make(4000);
  ASSERT_TRUE(resumed->load(file).ok());
  std::filesystem::remove(file);
  EXPECT_EQ(resumed->step(), trainer->step());
  trainer->advance(4000, {}, [] {});
  resumed->advance(4000, {}, [] {});
  EXPECT_EQ(resumed->value(), trainer->value());
}

TEST_P(EveryTrainer, refuses_a_file_that_is_no_model_of_its_own) {
  EXPECT_FALSE(make(1000)->load("/nonexistent").ok());
  EvaluationPlan plan;
  plan.model = "/nonexistent";
  EXPECT_FALSE(GetParam().evaluate(plan).ok());
}

INSTANTIATE_TEST_SUITE_P(Table, EveryTrainer,
                         testing::ValuesIn(trainer_table().begin(), trainer_table().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(TrainerTable, has_a_row_for_every_trainer_of_the_catalog) {
  for (const auto& info : trainer_catalog())
    EXPECT_NE(find_trainer_row(info.name), nullptr) << info.name;
}

}  // namespace
}  // namespace hone::trainers
