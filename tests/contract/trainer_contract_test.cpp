// The contract of worker/train/run/trainer.hpp, for every trainer, and its entry in the catalog.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "schemas/trainers/check.hpp"
#include "schemas/trainers/words.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {

void PrintTo(const TrainerRow& row, std::ostream* out) { *out << row.name; }

namespace {

class EveryTrainer : public testing::TestWithParam<TrainerRow> {
 protected:
  static std::unique_ptr<Trainer> make(std::int64_t budget, const Params& params = {}) {
    const auto& info = *find_trainer(GetParam().name);
    Params fixed;
    if (find_setting(info, "deterministic") != nullptr)
      fixed.push_back({"deterministic", std::string("yes")});
    auto settings = Settings::resolve(info, fixed, params);
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
  for (const auto word : words_of(setting->words)) {
    if (word.ends_with('*')) continue;  // of other programs
    const auto found = envs::find_env(word);
    EXPECT_TRUE(found.ok() || found.error().detail.find("built without") != std::string::npos)
        << word;
  }
  for (const auto& row : envs::env_table()) {
    const auto words = words_of(setting->words);
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

// Another value than the default: half of a number, twice a count.
Value other_value(const SettingInfo& setting) {
  const Value fallback = *parse_setting(setting, setting.fallback);
  if (const auto* count = std::get_if<std::int64_t>(&fallback)) return std::int64_t{2 * *count};
  const double number = std::get<double>(fallback);
  return number == 0 ? 0.1 : number / 2;
}

TEST_P(EveryTrainer, resumes_with_another_value_of_each_setting_that_may_change) {
  const auto file =
      std::filesystem::temp_directory_path() / ("hone-changed-" + std::to_string(::getpid()));
  const auto trainer = make(4000);
  trainer->advance(2000, {}, [] {});
  ASSERT_TRUE(trainer->save(file).ok());
  for (const SettingInfo& setting : find_trainer(GetParam().name)->settings) {
    if (!setting.may_change) continue;
    const auto resumed = make(4000, {{std::string(setting.name), other_value(setting)}});
    const auto loaded = resumed->load(file);
    ASSERT_TRUE(loaded.ok()) << setting.name << ": " << loaded.error().detail;
    EXPECT_EQ(resumed->step(), trainer->step()) << setting.name;
    resumed->advance(2500, {}, [] {});
    EXPECT_GE(resumed->step(), 2500) << setting.name;
    EXPECT_FALSE(resumed->value().is_diverged()) << setting.name;
  }
  std::filesystem::remove(file);
}

TEST_P(EveryTrainer, another_learning_rate_changes_what_is_learned_after_a_resume) {
  const auto* setting = find_setting(*find_trainer(GetParam().name), "learning_rate");
  if (setting == nullptr || !setting->may_change) GTEST_SKIP() << "it may not change";
  const auto file =
      std::filesystem::temp_directory_path() / ("hone-rate-" + std::to_string(::getpid()));
  const auto trainer = make(4000);
  trainer->advance(2000, {}, [] {});
  ASSERT_TRUE(trainer->save(file).ok());
  std::string models[2];
  for (const int changed : {0, 1}) {
    Params params;
    if (changed == 1) params.push_back({"learning_rate", other_value(*setting)});
    const auto resumed = make(4000, params);
    ASSERT_TRUE(resumed->load(file).ok());
    resumed->advance(4000, {}, [] {});
    const std::string model = file.string() + "-" + std::to_string(changed);
    ASSERT_TRUE(resumed->save(model).ok());
    std::ifstream stream(model, std::ios::binary);
    models[changed].assign(std::istreambuf_iterator<char>(stream), {});
    std::filesystem::remove(model);
  }
  std::filesystem::remove(file);
  EXPECT_NE(models[0], models[1]);
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
