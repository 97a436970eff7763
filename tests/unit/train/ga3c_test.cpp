// The whole trainer: it learns, repeats itself, continues from a checkpoint, and stops on request.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <thread>

#include "worker/train/rl/model.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {
namespace {

class Ga3cTraining : public testing::Test {
 protected:
  Ga3cTraining()
      : folder_(std::filesystem::temp_directory_path() /
                ("hone-ga3c-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Ga3cTraining() override { std::filesystem::remove_all(folder_); }

  static std::unique_ptr<Trainer> trainer(const Params& params, std::int64_t budget = 20'000,
                                          std::uint64_t seed = 1) {
    auto settings = Settings::resolve(*find_trainer("ga3c"), {}, params);
    EXPECT_TRUE(settings.ok());
    auto made = find_trainer_row("ga3c")->make({std::move(settings).value(), seed, budget});
    EXPECT_TRUE(made.ok());
    return std::move(made).value();
  }

  static void train(Trainer& trainer, std::int64_t until) {
    trainer.advance(until, {}, [] {});
  }

  rl::Model saved(const Trainer& trainer, const std::string& name = "model") {
    EXPECT_TRUE(trainer.save(folder_ / name).ok());
    auto model = rl::read_model(folder_ / name);
    EXPECT_TRUE(model.ok());
    return std::move(model).value();
  }

  std::filesystem::path folder_;
};

TEST_F(Ga3cTraining, repeats_itself_bit_for_bit_with_one_agent) {
  const auto first = trainer({});
  const auto second = trainer({});
  const auto other = trainer({}, 20'000, 2);
  for (auto* each : {first.get(), second.get(), other.get()}) train(*each, 20'000);
  EXPECT_EQ(saved(*first).parameters.weights, saved(*second).parameters.weights);
  EXPECT_EQ(first->value(), second->value());
  EXPECT_NE(saved(*first).parameters.weights, saved(*other).parameters.weights);
}

// In parity mode an agent plays on while its rollouts wait, and how far depends on the threads.
TEST_F(Ga3cTraining, repeats_itself_in_parity_mode_if_it_must) {
  const Params params{{"mode", std::string("parity")}, {"deterministic", std::string("yes")},
                      {"dynamic", std::string("no")},  {"agents", std::int64_t{1}},
                      {"predictors", std::int64_t{1}}, {"trainers", std::int64_t{1}}};
  const auto first = trainer(params);
  const auto second = trainer(params);
  for (auto* each : {first.get(), second.get()}) train(*each, 20'000);
  EXPECT_EQ(saved(*first).parameters.weights, saved(*second).parameters.weights);
  EXPECT_EQ(saved(*first).parameters.updates, saved(*second).parameters.updates);
}

TEST_F(Ga3cTraining, continues_from_a_checkpoint_as_if_it_had_not_ended) {
  const auto whole = trainer({});
  train(*whole, 10'000);
  train(*whole, 20'000);
  const auto half = trainer({});
  train(*half, 10'000);
  ASSERT_TRUE(half->save(folder_ / "half").ok());
  const auto resumed = trainer({});
  ASSERT_TRUE(resumed->load(folder_ / "half").ok());
  EXPECT_EQ(resumed->step(), half->step());
  EXPECT_EQ(resumed->value(), half->value());
  train(*resumed, 20'000);
  EXPECT_EQ(saved(*resumed).parameters.weights, saved(*whole).parameters.weights);
  EXPECT_EQ(resumed->value(), whole->value());
}

TEST_F(Ga3cTraining, trains_every_frame_it_plays) {
  for (const std::int64_t t_max : {2, 7, 100}) {
    const auto agent = trainer({{"t_max", t_max}});
    train(*agent, 20'000);
    const auto model = saved(*agent);
    EXPECT_EQ(model.parameters.frames, model.frames) << t_max;
    EXPECT_GE(model.frames, 20'000);
    EXPECT_LT(model.frames, 20'000 + 32);
  }
}

TEST_F(Ga3cTraining, learns_to_balance) {
  const auto agent = trainer({}, 300'000);
  train(*agent, 300'000);
  EXPECT_GT(agent->value().value(), 150);  // 22 by chance
  ASSERT_TRUE(agent->save(folder_ / "model").ok());
  const auto evaluation = find_trainer_row("ga3c")->evaluate({folder_ / "model", "", 20, 1, false});
  ASSERT_TRUE(evaluation.ok());
  const auto& returns = evaluation->returns;
  EXPECT_EQ(evaluation->env, "CartPole-v1");
  EXPECT_GT(std::accumulate(returns.begin(), returns.end(), 0.0) / 20, 200);
}

TEST_F(Ga3cTraining, learns_to_swing_up) {
  const auto agent = trainer({{"env", std::string("Acrobot-v1")}}, 200'000);
  train(*agent, 200'000);
  EXPECT_GT(agent->value().value(), -150);  // -499 by chance
}

TEST_F(Ga3cTraining, runs_with_several_agents_predictors_and_trainers) {
  const auto agent = trainer({{"agents", std::int64_t{4}},
                              {"envs", std::int64_t{4}},
                              {"predictors", std::int64_t{2}},
                              {"trainers", std::int64_t{2}}});
  train(*agent, 20'000);
  const auto model = saved(*agent);
  EXPECT_EQ(model.parameters.frames, model.frames);
  EXPECT_EQ(model.groups.size(), 4U);
}

TEST_F(Ga3cTraining, runs_in_parity_mode) {
  const auto agent = trainer({{"mode", std::string("parity")}, {"agents", std::int64_t{2}}});
  train(*agent, 20'000);
  const auto model = saved(*agent);
  EXPECT_GT(model.parameters.updates, 0);
  EXPECT_LT(model.parameters.frames, model.frames)
      << "the last experience of every episode is dropped";
  EXPECT_EQ(model.net.activation, nn::Activation::relu);
}

// Waiting rollouts are not joined to one update: t_max alone decides how many samples it has.
TEST_F(Ga3cTraining, makes_one_update_of_one_rollout_in_parity_mode) {
  const auto agent = trainer({{"mode", std::string("parity")},
                              {"dynamic", std::string("no")},
                              {"agents", std::int64_t{4}}});
  train(*agent, 20'000);
  const auto model = saved(*agent);
  const auto samples = static_cast<double>(model.parameters.frames);
  EXPECT_LE(samples / static_cast<double>(model.parameters.updates), 5);
  EXPECT_GT(samples / static_cast<double>(model.parameters.updates), 4);
}

TEST_F(Ga3cTraining, values_running_episodes_before_the_first_has_finished) {
  const auto agent = trainer({});
  train(*agent, 32 * 3);
  EXPECT_EQ(agent->value(), Score::of(3));
}

TEST_F(Ga3cTraining, reports_divergence_and_stops_there) {
  const auto sound = trainer({});
  auto model = saved(*sound);
  for (auto& weight : model.parameters.weights) weight = 1e30F;  // the outputs overflow
  ASSERT_TRUE(rl::write_model(folder_ / "wild", model).ok());
  const auto wild = trainer({});
  ASSERT_TRUE(wild->load(folder_ / "wild").ok());
  train(*wild, 20'000);
  EXPECT_TRUE(wild->value().is_diverged());
  EXPECT_LT(wild->step(), 1000);
  for (const float weight : saved(*wild).parameters.weights)
    ASSERT_EQ(weight, 1e30F) << "the last sound ones are kept";
  const auto stopped_at = wild->step();
  train(*wild, 40'000);
  EXPECT_EQ(wild->step(), stopped_at);
}

TEST_F(Ga3cTraining, ends_a_phase_when_a_stop_is_requested) {
  const auto agent = trainer({}, 1'000'000'000);
  std::stop_source stop;
  int ticks = 0;
  agent->advance(1'000'000'000, stop.get_token(), [&] {
    ++ticks;
    stop.request_stop();
  });
  EXPECT_EQ(ticks, 1);
  EXPECT_LT(agent->step(), 1'000'000'000);
  const auto model = saved(*agent);
  EXPECT_EQ(model.parameters.frames, model.frames);
}

TEST_F(Ga3cTraining, refuses_a_checkpoint_of_another_shape_in_one_sentence) {
  const auto small = trainer({{"hidden", std::int64_t{8}}});
  ASSERT_TRUE(small->save(folder_ / "small").ok());
  const auto loaded = trainer({})->load(folder_ / "small");
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().detail.find("hidden = 8"), std::string::npos);
  const auto fewer =
      trainer({{"hidden", std::int64_t{8}}, {"envs", std::int64_t{4}}})->load(folder_ / "small");
  ASSERT_FALSE(fewer.ok());
  EXPECT_NE(fewer.error().detail.find("number of environments"), std::string::npos);
}

std::vector<std::string> metric_names(Trainer& trainer) {
  std::vector<std::string> names;
  for (const auto& [name, value] : trainer.take_metrics()) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    names.emplace_back(name);
  }
  return names;
}

TEST_F(Ga3cTraining, reports_its_metrics) {
  const auto agent = trainer({});
  train(*agent, 5'000);
  EXPECT_EQ(metric_names(*agent),
            (std::vector<std::string>{
                "frames_per_s", "episode_return", "episode_length", "episodes", "policy_loss",
                "value_loss", "entropy", "gradient_norm", "learning_rate", "policy_lag",
                "train_batch", "updates_per_s", "predictors", "trainers", "predictions_per_s",
                "predict_batch", "predict_queue", "train_queue", "agents"}));
}

TEST_F(Ga3cTraining, counts_each_frame_of_an_episode_once) {
  const auto agent = trainer({});
  train(*agent, 20'000);
  const auto last = saved(*agent).episodes;
  EXPECT_EQ(last.last, last.last_lengths) << "CartPole pays 1 a step";
}

TEST_F(Ga3cTraining, continues_with_adam_as_if_it_had_not_ended) {
  const Params params{{"optimizer", std::string("adam")}, {"layers", std::int64_t{2}}};
  const auto whole = trainer(params);
  train(*whole, 10'000);
  ASSERT_TRUE(whole->save(folder_ / "half").ok());
  train(*whole, 20'000);
  const auto resumed = trainer(params);
  ASSERT_TRUE(resumed->load(folder_ / "half").ok());
  train(*resumed, 20'000);
  EXPECT_EQ(saved(*resumed).parameters.weights, saved(*whole).parameters.weights);
  EXPECT_EQ(saved(*resumed).parameters.mean, saved(*whole).parameters.mean);
  EXPECT_FALSE(trainer({{"layers", std::int64_t{2}}})->load(folder_ / "half").ok())
      << "RMSProp cannot continue from Adam's state";
}

TEST_F(Ga3cTraining, continues_with_scaled_observations_as_if_it_had_not_ended) {
  const Params params{{"observation_scale", std::string("yes")}};
  const auto whole = trainer(params);
  train(*whole, 10'000);
  ASSERT_TRUE(whole->save(folder_ / "half").ok());
  train(*whole, 20'000);
  const auto resumed = trainer(params);
  ASSERT_TRUE(resumed->load(folder_ / "half").ok());
  train(*resumed, 20'000);
  EXPECT_EQ(saved(*resumed).parameters.weights, saved(*whole).parameters.weights);
  EXPECT_EQ(saved(*resumed).observations.mean, saved(*whole).observations.mean);
  EXPECT_FALSE(trainer({})->load(folder_ / "half").ok()) << "its network would see other numbers";
}

// Speeds are hundredths: without the scale no policy depends on them, and none reaches the flag.
TEST_F(Ga3cTraining, learns_to_rock_a_car_up_the_hill_and_plays_by_the_scale_it_learned) {
  const auto agent = trainer({{"env", std::string("MountainCar-v0")}}, 400'000);
  train(*agent, 400'000);
  EXPECT_GT(agent->value().value(), -150);  // -200 by chance
  ASSERT_TRUE(agent->save(folder_ / "model").ok());
  const auto evaluation = find_trainer_row("ga3c")->evaluate({folder_ / "model", "", 20, 1, true});
  ASSERT_TRUE(evaluation.ok());
  const auto& returns = evaluation->returns;
  EXPECT_GT(std::accumulate(returns.begin(), returns.end(), 0.0) / 20, -150);
}

TEST_F(Ga3cTraining, has_no_scale_for_planes) {
  const auto settings = Settings::resolve(
      *find_trainer("ga3c"), {},
      {{"env", std::string("MinAtar-breakout")}, {"observation_scale", std::string("yes")}});
  ASSERT_TRUE(settings.ok());
  const auto refused = find_trainer_row("ga3c")->make({*settings, 1, 1000});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().at, "/observation_scale");
}

TEST_F(Ga3cTraining, anneals_the_entropy_to_its_end) {
  const auto agent = trainer({{"entropy", 0.1}, {"entropy_end", 0.0}});
  train(*agent, 20'000);
  const auto constant = trainer({{"entropy", 0.1}});
  train(*constant, 20'000);
  EXPECT_NE(saved(*agent).parameters.weights, saved(*constant).parameters.weights);
}

TEST_F(Ga3cTraining, bounds_rewards_when_asked_to) {
  // The rewards of CartPole are 1: a bound of 1 changes nothing, a smaller one does.
  const Params plain{{"reward_scale", std::string("no")}};
  auto with = plain;
  with.push_back({"reward_clip", 1.0});
  auto tight = plain;
  tight.push_back({"reward_clip", 0.5});
  const auto weights = [&](const Params& params) {
    const auto agent = trainer(params);
    train(*agent, 5'000);
    return saved(*agent).parameters.weights;
  };
  EXPECT_EQ(weights(plain), weights(with));
  EXPECT_NE(weights(plain), weights(tight));
}

TEST_F(Ga3cTraining, refuses_to_promise_what_threads_decide) {
  for (const char* name : {"agents", "predictors", "trainers"}) {
    auto settings =
        Settings::resolve(*find_trainer("ga3c"), {},
                          {{"deterministic", std::string("yes")}, {name, std::int64_t{2}}});
    ASSERT_TRUE(settings.ok());
    const auto made = find_trainer_row("ga3c")->make({std::move(settings).value(), 1, 1000});
    ASSERT_FALSE(made.ok()) << name;
    EXPECT_EQ(made.error().at, "/deterministic");
  }
}

TEST_F(Ga3cTraining, adjusts_its_worker_counts_and_trains_every_frame) {
  const Params params{{"dynamic", std::string("yes")}, {"dynamic_wait", 0.01}};
  const auto agent = trainer(params, 600'000);
  train(*agent, 300'000);
  const auto half = saved(*agent, "half");
  EXPECT_GT(half.counts.moves, 0U);
  EXPECT_EQ(half.parameters.frames, half.frames);
  const auto resumed = trainer(params, 600'000);
  ASSERT_TRUE(resumed->load(folder_ / "half").ok());
  train(*resumed, 600'000);
  const auto whole = saved(*resumed);
  EXPECT_GE(whole.counts.moves, half.counts.moves);
  EXPECT_EQ(whole.parameters.frames, whole.frames);
}

TEST_F(Ga3cTraining, tells_when_the_goal_was_reached) {
  const auto agent = trainer({{"env", std::string("Acrobot-v1")}}, 200'000);
  train(*agent, 1'000);
  EXPECT_FALSE(agent->solved());
  train(*agent, 200'000);
  ASSERT_TRUE(agent->solved());
  EXPECT_GT(agent->solved()->step, 1'000);
  EXPECT_LT(agent->solved()->step, 200'000);
}

}  // namespace
}  // namespace hone::trainers
