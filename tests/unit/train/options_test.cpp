// The settings of ga3c, a3c and a2c in typed form: the two modes, the defaults of an environment,
// and the settings that contradict each other.
#include "worker/train/actor_critic/options.hpp"

#include <gtest/gtest.h>

namespace hone::ac {
namespace {

using trainers::Settings;

Settings settings_of(const char* trainer, const Params& params) {
  auto settings = Settings::resolve(*find_trainer(trainer), params, {});
  EXPECT_TRUE(settings.ok()) << settings.error().detail;
  return *std::move(settings);
}

Result<Options> options_with(Scheme scheme, const Params& params) {
  const char* trainer = scheme == Scheme::ga3c ? "ga3c" : scheme == Scheme::a3c ? "a3c" : "a2c";
  return options_of(scheme, {settings_of(trainer, params), 7, 1000});
}

Options ga3c_options(const Params& params) {
  auto options = options_with(Scheme::ga3c, params);
  EXPECT_TRUE(options.ok()) << options.error().detail;
  return *std::move(options);
}

Param word(const char* name, const char* value) { return {name, std::string(value)}; }

TEST(Options, of_corrected_mode_are_the_defaults_of_the_trainer) {
  const auto options = ga3c_options({});
  EXPECT_FALSE(options.parity);
  EXPECT_EQ(options.seed, 7U);
  EXPECT_EQ(options.agent.t_max, 8);
  EXPECT_EQ(options.net.activation, nn::Activation::tanh);
  EXPECT_EQ(options.net.hidden, 128);
  EXPECT_EQ(options.weight_start, nn::WeightStart::scaled);
  EXPECT_TRUE(options.learning.mean_loss);
  EXPECT_EQ(options.learning.loss.log_floor, 0);
  EXPECT_EQ(options.learning.optimizer.clip, 5);
  EXPECT_EQ(options.learning.rate.end, 0);
  EXPECT_EQ(options.learning.frames_total, 1000);
  EXPECT_EQ(options.learning.entropy.end, options.learning.entropy.start);
}

TEST(Options, of_parity_mode_are_the_published_values) {
  const auto options = ga3c_options({word("mode", "parity")});
  EXPECT_TRUE(options.parity);
  EXPECT_EQ(options.agent.t_max, 5);
  EXPECT_EQ(options.agent.reward_clip, 1);
  EXPECT_EQ(options.net.activation, nn::Activation::relu);
  EXPECT_EQ(options.weight_start, nn::WeightStart::uniform);
  EXPECT_FALSE(options.learning.mean_loss);
  EXPECT_EQ(options.learning.rate.start, 3e-4);
  EXPECT_EQ(options.learning.rate.end, 3e-4);
  EXPECT_EQ(options.learning.entropy.start, 0.01);
  EXPECT_EQ(options.learning.loss.log_floor, 1e-6);
  EXPECT_EQ(options.learning.optimizer.clip, 0);
  EXPECT_EQ(options.learning.optimizer.epsilon, 0.1);
}

// The published Config.py: AGENTS, PREDICTORS, TRAINERS, DYNAMIC_SETTINGS, PREDICTION_BATCH_SIZE,
// TRAINING_MIN_BATCH_SIZE 0 (one rollout is enough), and the network's 256 units.
TEST(Options, of_parity_mode_are_the_published_configuration) {
  const auto options = ga3c_options({word("mode", "parity")});
  EXPECT_EQ(options.counts, (rl::WorkerCounts{32, 2, 2}));
  EXPECT_EQ(options.envs_per_agent, 1);
  EXPECT_TRUE(options.dynamic);
  EXPECT_EQ(options.dynamic_wait, std::chrono::seconds(20));
  EXPECT_EQ(options.predict_rows_max, 128);
  EXPECT_EQ(options.train_samples_max, 1);
  EXPECT_EQ(options.net.hidden, 256);
  EXPECT_EQ(options.parity_slots(), 100 / 32);
}

TEST(Options, of_parity_mode_yield_to_values_that_the_user_gives) {
  const auto options = ga3c_options({word("mode", "parity"),
                                     {"t_max", std::int64_t{9}},
                                     {"entropy", 0.5},
                                     word("activation", "tanh"),
                                     word("dynamic", "no"),
                                     {"train_batch", std::int64_t{40}},
                                     {"hidden", std::int64_t{64}},
                                     {"agents", std::int64_t{8}}});
  EXPECT_EQ(options.agent.t_max, 9);
  EXPECT_EQ(options.learning.entropy.start, 0.5);
  EXPECT_EQ(options.net.activation, nn::Activation::tanh);
  EXPECT_EQ(options.parity_slots(), 12);
  EXPECT_FALSE(options.dynamic);
  EXPECT_EQ(options.train_samples_max, 40);
  EXPECT_EQ(options.net.hidden, 64);
}

TEST(Options, of_parity_mode_ignore_epochs_and_the_clipped_ratio) {
  const auto options =
      ga3c_options({word("mode", "parity"), {"epochs", std::int64_t{4}}, {"ratio_clip", 0.2}});
  EXPECT_EQ(options.agent.epochs, 1);
  EXPECT_FALSE(options.agent.bounded);
  EXPECT_EQ(options.learning.loss.ratio_clip, 0);
}

TEST(Options, take_the_settings_of_adam_only_with_adam) {
  const Params both{
      {"rmsprop_decay", 0.5}, {"adam_beta1", 0.7}, {"adam_beta2", 0.8}, {"adam_epsilon", 0.25}};
  EXPECT_EQ(ga3c_options(both).learning.optimizer.decay, 0.5);
  auto with_adam = both;
  with_adam.push_back(word("optimizer", "adam"));
  const auto rule = ga3c_options(with_adam).learning.optimizer;
  EXPECT_EQ(rule.kind, nn::OptimizerKind::adam);
  EXPECT_EQ(rule.momentum, 0.7);
  EXPECT_EQ(rule.decay, 0.8);
  EXPECT_EQ(rule.epsilon, 0.25);
}

TEST(Options, have_the_network_that_suits_the_observations) {
  EXPECT_EQ(ga3c_options({}).net.kind, nn::NetKind::mlp);
  const auto planes = ga3c_options({word("env", "MinAtar-breakout")}).net;
  EXPECT_EQ(planes.kind, nn::NetKind::minatar);
  EXPECT_EQ(planes.planes, (envs::Planes{10, 10, 4}));
  EXPECT_EQ(ga3c_options({word("env", "MinAtar-breakout"), word("network", "mlp")}).net.kind,
            nn::NetKind::mlp);
  EXPECT_EQ(ga3c_options({word("env", "Pendulum-v1")}).net.policy, nn::Policy::gaussian);
}

TEST(Options, bound_the_rows_of_a_prediction_and_the_samples_of_a_batch) {
  const auto wide = ga3c_options({{"agents", std::int64_t{4}}, {"envs", std::int64_t{32}}});
  EXPECT_EQ(wide.predict_rows_needed(), 4 * 2 * 32);
  const auto small = ga3c_options({{"agents", std::int64_t{64}},
                                   {"envs", std::int64_t{32}},
                                   {"predict_batch", std::int64_t{128}}});
  EXPECT_EQ(small.predict_rows_needed(), 128);
  const auto lone = ga3c_options({{"envs", std::int64_t{32}}, {"predict_batch", std::int64_t{1}}});
  EXPECT_EQ(lone.predict_rows_needed(), 64) << "what one agent requests always fits";
  EXPECT_EQ(ga3c_options({{"t_max", std::int64_t{100}}}).train_samples_needed(), 100);
}

TEST(Options, of_dynamic_counts_have_upper_bounds_above_the_start) {
  const auto fixed = ga3c_options({{"agents", std::int64_t{3}}});
  EXPECT_EQ(fixed.counts_max, fixed.counts);
  const auto dynamic = ga3c_options({word("dynamic", "yes"), {"agents", std::int64_t{100}}});
  EXPECT_EQ(dynamic.counts_max, (rl::WorkerCounts{100, 8, 8}));
}

TEST(Options, of_a3c_and_a2c_have_no_queues) {
  for (const auto scheme : {Scheme::a3c, Scheme::a2c}) {
    const auto options = options_with(scheme, {{"agents", std::int64_t{2}}});
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->counts, (rl::WorkerCounts{2, 1, 1}));
    EXPECT_EQ(options->counts_max, options->counts);
    EXPECT_EQ(options->envs_per_agent, 8);
    EXPECT_FALSE(options->parity);
  }
}

struct RefusedOptions {
  const char* name;
  Params params;
  const char* at;
  const char* sentence_has;
};

void PrintTo(const RefusedOptions& refused, std::ostream* out) { *out << refused.name; }

class OptionsThatContradict : public testing::TestWithParam<RefusedOptions> {};

TEST_P(OptionsThatContradict, are_refused_with_the_setting_and_the_reason) {
  const auto options = options_with(Scheme::ga3c, GetParam().params);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().code, Code::invalid);
  EXPECT_EQ(options.error().at, GetParam().at);
  EXPECT_NE(options.error().detail.find(GetParam().sentence_has), std::string::npos)
      << options.error().detail;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, OptionsThatContradict,
    testing::Values(RefusedOptions{"sticky", {{"sticky", 0.2}}, "/sticky", "has no sticky actions"},
                    RefusedOptions{"network", {word("network", "conv")}, "/network", "CartPole-v1"},
                    RefusedOptions{
                        "scale",
                        {word("env", "MinAtar-freeway"), word("observation_scale", "yes")},
                        "/observation_scale",
                        "are planes"},
                    RefusedOptions{"deterministic",
                                   {word("deterministic", "yes"), word("dynamic", "yes")},
                                   "/deterministic",
                                   "agents=1, predictors=1, trainers=1"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Presets, are_not_used_in_parity_mode_and_yield_to_the_user) {
  const auto parity = ga3c_options({word("env", "MinAtar-breakout"), word("mode", "parity")});
  EXPECT_EQ(parity.net.hidden, 256);
  const auto corrected = ga3c_options({word("env", "MinAtar-breakout")});
  EXPECT_EQ(corrected.net.hidden, 64);
  const auto given = ga3c_options({word("env", "MinAtar-breakout"), {"hidden", std::int64_t{32}}});
  EXPECT_EQ(given.net.hidden, 32);
}

TEST(Presets, of_the_entropy_at_the_end_count_as_stated) {
  const auto lander = settings_of("ga3c", {word("env", "LunarLander-v3")});
  EXPECT_TRUE(lander.stated("entropy_end"));
  EXPECT_FALSE(lander.given("entropy_end"));
  const Params car{word("env", "MountainCar-v0"), {"presets", std::int64_t{1}}};
  EXPECT_EQ(ga3c_options(car).learning.entropy.end, 0);
}

}  // namespace
}  // namespace hone::ac
