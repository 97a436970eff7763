// The trainer `harmony`: its reward model, its episodes and its replay.
#include "worker/train/cluster/harmony.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "worker/train/cluster/episode.hpp"
#include "worker/train/cluster/held_out.hpp"
#include "worker/train/cluster/reward_fit.hpp"

namespace hone::trainers {
namespace {

Settings settings_of(const Params& params) {
  return std::move(Settings::resolve(*find_trainer("harmony"), {}, params)).value();
}

TEST(RewardFit, learns_speeds_from_records_and_keeps_the_best_weights) {
  const auto setup = harmony_setup(settings_of({}));
  const auto records = record_speeds(setup, 1500, 0, 1);
  ASSERT_EQ(records.size(), 1500U);
  const auto others = record_speeds(setup, 200, 0, 2);
  auto model = cluster::empty_harmony(setup, 32);
  const auto fit = fit_reward(setup, records, {15, 0.003, 1}, model.reward, {}, [] {});
  EXPECT_GE(fit.epochs, 1);
  EXPECT_LT(fit.held_out_error, 0.06);
  EXPECT_LT(mean_error(setup, others, model.reward), 0.06);
}

TEST(RewardFit, noise_changes_the_records_and_a_stop_leaves_the_fit_unfinished) {
  const auto setup = harmony_setup(settings_of({}));
  const auto exact = record_speeds(setup, 20, 0, 1), noisy = record_speeds(setup, 20, 0.1, 1);
  EXPECT_NE(exact[10].speeds, noisy[10].speeds);
  EXPECT_EQ(record_speeds(setup, 20, 0.1, 1)[10].speeds, noisy[10].speeds);
  std::stop_source stop;
  stop.request_stop();
  auto model = cluster::empty_harmony(setup, 4);
  EXPECT_EQ(fit_reward(setup, exact, {3, 0.01, 1}, model.reward, stop.get_token(), [] {}).epochs,
            0);
  EXPECT_TRUE(record_speeds(setup, 20, 0, 1, stop.get_token()).empty());
}

std::vector<Experience> episode_of(const cluster::HarmonyModel& model, double exploration,
                                   RewardRule rule) {
  const auto setup = harmony_setup(settings_of({}));
  Rng rng(5, Purpose::simulation, 1);
  return play_episode({setup, model, cluster::normalized_speeds, rule, exploration}, rng);
}

cluster::HarmonyModel random_model() {
  const auto setup = harmony_setup(settings_of({}));
  auto model = cluster::empty_harmony(setup, 8);
  Rng rng(6, Purpose::simulation, 1);
  model.agent.actor_weights = model.agent.actor().first_weights(rng);
  model.agent.critic_weights = model.agent.critic().first_weights(rng);
  return model;
}

TEST(HarmonyEpisode, has_one_decision_for_each_task_and_rewards_what_the_new_jobs_add) {
  const auto model = random_model();
  for (const RewardRule rule : {RewardRule::speed, RewardRule::progress}) {
    const auto decisions = episode_of(model, 0.5, rule);
    EXPECT_GE(decisions.size(), 2U * 40);  // a worker and a parameter server of each job at least
    for (const Experience& item : decisions) {
      EXPECT_LT(item.chosen, item.inputs.size());
      EXPECT_GT(item.probability, 0);
      EXPECT_LE(item.probability, 1 + 1e-12);
      EXPECT_LE(item.reward, 1.2);  // a new job adds its own speed at most
    }
  }
}

// With exploration alone every decision is one of the two rules', each with its probability.
TEST(HarmonyEpisode, exploration_follows_load_balancing_or_packing) {
  for (const Experience& item : episode_of(random_model(), 1, RewardRule::speed))
    EXPECT_TRUE(item.probability == 0.5 || item.probability == 1) << item.probability;
}

TEST(PlacementReplay, drops_the_oldest_and_survives_a_checkpoint) {
  PlacementReplay replay(3);
  for (int i = 0; i < 5; ++i) replay.add({{{1.0 * i, 2}, {3, 4}}, 1, 0.5, {7, 8, 9}, 0.1 * i});
  EXPECT_EQ(replay.size(), 3U);
  PlacementReplay copy(3);
  ASSERT_TRUE(copy.restore(replay.state(), 2, 3));
  Rng one(1, Purpose::simulation, 2), two(1, Purpose::simulation, 2);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(copy.draw(one).inputs, replay.draw(two).inputs);
    EXPECT_GE(copy.draw(one).inputs[0][0], 2);
    EXPECT_GE(replay.draw(two).inputs[0][0], 2);
  }
  EXPECT_FALSE(copy.restore(replay.state(), 3, 3));
  EXPECT_FALSE(PlacementReplay(2).restore(replay.state(), 2, 3));
  EXPECT_FALSE(copy.restore(Json{{1, 2}}, 2, 3));
}

TEST(Harmony, a_short_training_beats_load_balancing) {
  const auto settings =
      settings_of({{"samples", std::int64_t{2000}}, {"reward_epochs", std::int64_t{10}}});
  const auto trainer = make_harmony({settings, 1, 1600});
  ASSERT_TRUE(trainer);
  (*trainer)->advance(1600, {}, [] {});
  EXPECT_EQ((*trainer)->step(), 1600);
  EXPECT_LT((*trainer)->value().value(), 0.92);
}

// Two servers of two GPUs and three CPU slots: where the parameter servers of the largest job fill
// one of them, there is no place for its third worker.
cluster::ClusterSetup tight_setup() {
  return harmony_setup(settings_of(
      {{"servers", std::int64_t{2}}, {"gpus", std::int64_t{2}}, {"cpus", std::int64_t{3}}}));
}

// A model that gives each action what `wanted` says of its input, whatever else it sees.
cluster::HarmonyModel model_that_wants(std::size_t input) {
  auto model = cluster::empty_harmony(tight_setup(), 1);
  model.agent.actor_weights.assign(model.agent.actor().weights(), 0);
  auto& weights = model.agent.actor_weights;
  const std::size_t inputs = cluster::action_inputs(model.types.size());
  weights[input] = weights[inputs + 1] = weights[inputs + 3] = 1;  // one unit a layer
  return model;
}

TEST(Harmony, a_policy_that_leaves_a_job_without_a_place_has_no_value) {
  const std::size_t parameter_server = 4 * cluster::usual_types().size() + 1;
  const auto stuck = hold_out(tight_setup(), model_that_wants(parameter_server), 1, 3);
  ASSERT_FALSE(stuck);
  EXPECT_NE(stuck.error().detail.find("the policy does not end the jobs of seed"),
            std::string::npos)
      << stuck.error().detail;
  int done = 0;
  const auto ends = hold_out(tight_setup(), model_that_wants(parameter_server - 1), 1, 3,
                             [&](int seeds) { done = seeds; });
  ASSERT_TRUE(ends) << ends.error().detail;
  EXPECT_EQ(ends->size(), 3U);
  EXPECT_EQ(done, 3);
}

TEST(Harmony, evaluates_to_the_ratio_that_the_run_minimizes_and_ticks_at_most_once_a_second) {
  const Params params{{"samples", std::int64_t{100}}, {"reward_epochs", std::int64_t{5}},
                      {"hidden", std::int64_t{8}},    {"updates", std::int64_t{1}},
                      {"batch", std::int64_t{8}},     {"validation", std::int64_t{2}}};
  const auto trainer = std::move(make_harmony({settings_of(params), 1, 400})).value();
  int ticks = 0;
  const auto begin = std::chrono::steady_clock::now();
  trainer->advance(400, {}, [&] { ++ticks; });
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(ticks, spent.count());  // of 15 episodes and passes
  EXPECT_EQ(trainer->value(), trainer->value());
  const auto file = std::filesystem::path(testing::TempDir()) / "hone-harmony-test.json";
  ASSERT_TRUE(trainer->save(file));
  const auto evaluation = evaluate_harmony({.model = file, .env = "", .episodes = 5, .seed = 1});
  ASSERT_TRUE(evaluation) << evaluation.error().detail;
  EXPECT_EQ(evaluation->returns.size(), 5U);
  for (const double ratio : evaluation->returns) {
    EXPECT_GT(ratio, 0.3);
    EXPECT_LT(ratio, 3);
  }
  std::filesystem::remove(file);
}

TEST(Harmony, refuses_what_would_be_too_large_and_names_the_setting) {
  struct Wrong {
    Params params;
    const char* lower;
  };
  for (const auto& [params, lower] : {
           Wrong{{{"servers", std::int64_t{100}}}, "lower replay or servers"},
           Wrong{{{"servers", std::int64_t{500}}, {"replay", std::int64_t{0}}},
                 "lower episode_jobs or servers"},
           Wrong{{{"hidden", std::int64_t{512}}, {"replay", std::int64_t{8000}}}, "lower hidden"},
           Wrong{{{"samples", std::int64_t{1000000}}}, "lower samples"},
       }) {
    const auto made = make_harmony({settings_of(params), 1, 100});
    ASSERT_FALSE(made) << lower;
    EXPECT_NE(made.error().detail.find(lower), std::string::npos) << made.error().detail;
  }
}

TEST(Harmony, refuses_a_cluster_that_holds_no_job) {
  const auto made = make_harmony({settings_of({{"servers", std::int64_t{1}}}), 1, 100});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().detail, "the cluster is too small for jobs of 3 workers: raise servers");
}

}  // namespace
}  // namespace hone::trainers
