// The search spaces of sdk/examples: the trainer accepts whatever a sweep may propose.
#include <gtest/gtest.h>

#include <algorithm>

#include "schemas/codec/body.hpp"
#include "schemas/trainers/check.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/sweep/submit/check.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {
namespace {

SweepSpec example(const std::string& name) {
  const auto file = read_sweep_file(std::string(HONE_SOURCE_DIR) + "/sdk/examples/" + name);
  EXPECT_TRUE(file.ok());
  auto spec = decode_request<SweepSpec>(file->document);
  EXPECT_TRUE(spec.ok()) << spec.error().detail << " at " << file->place(spec.error().at);
  return std::move(spec).value();
}

class EveryExample : public testing::TestWithParam<const char*> {};

TEST_P(EveryExample, proposes_only_what_can_be_trained) {
  const auto spec = example(GetParam());
  ASSERT_TRUE(check_spec(spec).ok()) << check_spec(spec).error().detail;
  const auto& builtin = std::get<BuiltinTrainer>(spec.trainer);
  const auto space = SearchSpace::make(spec.parameters, spec.constraints).value();
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    Rng rng(spec.seed, Purpose::propose, trial);
    const auto params = space.params_at(random_point(space, rng));
    auto settings = Settings::resolve(*find_trainer(builtin.name), builtin.settings, params);
    ASSERT_TRUE(settings.ok()) << settings.error().detail;
    auto made = find_trainer_row(builtin.name)->make({std::move(settings).value(), trial, 10'000});
    ASSERT_TRUE(made.ok()) << made.error().detail;
    (*made)->advance(1'000, {}, [] {});
    EXPECT_GE((*made)->step(), 1'000);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, EveryExample,
                         testing::Values("ga3c-cartpole.yaml", "ga3c-acrobot.yaml",
                                         "ga3c-lunarlander.yaml", "ga3c-minatar.yaml",
                                         "ga3c-mountaincar.yaml", "ga3c-pendulum.yaml",
                                         "ga3c-everything.yaml", "dqn-cartpole.yaml",
                                         "impala-cartpole.yaml", "apex-cartpole.yaml",
                                         "gorila-cartpole.yaml", "sac-pendulum.yaml",
                                         "ppo-lunarlander.yaml", "post-inception.yaml"),
                         [](const auto& file) {
                           std::string name = file.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name.substr(0, name.find('.'));
                         });

TEST(Everything, has_every_setting_of_ga3c) {
  const auto spec = example("ga3c-everything.yaml");
  const auto& fixed = std::get<BuiltinTrainer>(spec.trainer).settings;
  for (const auto name : setting_names(*find_trainer("ga3c"))) {
    const auto varies = std::any_of(spec.parameters.begin(), spec.parameters.end(),
                                    [&](const auto& parameter) { return parameter.name == name; });
    const bool of_other_environments = name == "sticky" || name == "deviation";
    EXPECT_TRUE(varies || of_other_environments || find(fixed, name) != nullptr) << name;
  }
}

}  // namespace
}  // namespace hone::trainers
