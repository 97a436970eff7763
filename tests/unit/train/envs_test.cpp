// GA3C on every environment of the table: it trains, repeats itself, continues exactly from its
// file, and its model can be evaluated.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "worker/train/envs/table.hpp"
#include "worker/train/rl/model.hpp"
#include "worker/train/table.hpp"

namespace hone::envs {

void PrintTo(const EnvRow& row, std::ostream* out) { *out << row.name; }

}  // namespace hone::envs

namespace hone::trainers {
namespace {

class EveryEnvironment : public testing::TestWithParam<envs::EnvRow> {
 protected:
  ~EveryEnvironment() override { std::filesystem::remove(file_); }

  static std::unique_ptr<Trainer> make(const char* mode) {
    auto settings = Settings::resolve(*find_trainer("ga3c"),
                                      {{"env", std::string(GetParam().name)},
                                       {"mode", std::string(mode)},
                                       {"envs", std::int64_t{8}},
                                       {"hidden", std::int64_t{16}}},
                                      {});
    EXPECT_TRUE(settings.ok());
    auto made = find_trainer_row("ga3c")->make({std::move(settings).value(), 1, 2000});
    EXPECT_TRUE(made.ok()) << made.error().detail;
    return std::move(made).value();
  }

  std::vector<float> weights(const Trainer& trainer) {
    EXPECT_TRUE(trainer.save(file_).ok());
    return rl::read_model(file_).value().parameters.weights;
  }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("hone-envs-" + std::to_string(::getpid()));
};

TEST_P(EveryEnvironment, is_trained_on_and_gone_on_with_from_the_file) {
  const auto trainer = make("corrected");
  const auto at_first = weights(*trainer);
  trainer->advance(1000, {}, [] {});
  EXPECT_NE(weights(*trainer), at_first);
  const auto resumed = make("corrected");
  ASSERT_TRUE(resumed->load(file_).ok());
  for (auto* each : {trainer.get(), resumed.get()}) each->advance(2000, {}, [] {});
  EXPECT_FALSE(trainer->value().is_diverged());
  EXPECT_EQ(weights(*resumed), weights(*trainer));
}

TEST_P(EveryEnvironment, is_trained_on_as_published) {
  const auto trainer = make("parity");
  const auto at_first = weights(*trainer);
  trainer->advance(1000, {}, [] {});
  EXPECT_FALSE(trainer->value().is_diverged());
  EXPECT_NE(weights(*trainer), at_first);
}

TEST_P(EveryEnvironment, is_played_by_a_saved_model) {
  const auto trainer = make("corrected");
  trainer->advance(1000, {}, [] {});
  ASSERT_TRUE(trainer->save(file_).ok());
  for (const bool sample : {false, true}) {
    // MinAtar's episodes have no limit; a policy that hardly learned ends them by itself.
    const auto evaluation = find_trainer_row("ga3c")->evaluate({file_, {}, 3, 1, sample});
    ASSERT_TRUE(evaluation.ok()) << evaluation.error().detail;
    EXPECT_EQ(evaluation->env, GetParam().name);
    EXPECT_EQ(evaluation->returns.size(), 3U);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryEnvironment,
                         testing::ValuesIn(envs::env_table().begin(), envs::env_table().end()),
                         [](const auto& row) {
                           std::string name(row.param.name);
                           std::erase_if(name,
                                         [](unsigned char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(Convolutions, are_refused_where_there_are_no_planes) {
  const auto refusal = [](const Params& fixed) {
    auto settings = Settings::resolve(*find_trainer("ga3c"), fixed, {});
    EXPECT_TRUE(settings.ok());
    const auto made = find_trainer_row("ga3c")->make({std::move(settings).value(), 1, 1000});
    return made.ok() ? std::string() : made.error().at;
  };
  EXPECT_EQ(refusal({{"network", std::string("conv")}}), "/network");
  EXPECT_EQ(refusal({{"sticky", 0.2}}), "/sticky");
  EXPECT_EQ(refusal({{"env", std::string("MinAtar-breakout")}, {"sticky", 0.2}}), "");
}

}  // namespace
}  // namespace hone::trainers
