// The metrics of a training, and the progress line of one without a server.
#include "worker/train/actor_critic/telemetry.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/case_name.hpp"
#include "worker/train/run/progress.hpp"

namespace hone::ac {
namespace {

using Metrics = std::map<std::string, double>;

Metrics taken(Telemetry& telemetry, std::int64_t step, const rl::EpisodeLog::State& episodes = {},
              const LearningMeter& learning = {}) {
  Metrics metrics;
  for (const auto& [name, value] : telemetry.take(step, episodes, learning, {3, 2, 1}))
    EXPECT_TRUE(metrics.emplace(name, value).second) << name << " is there twice";
  return metrics;
}

TEST(Telemetry, of_a_training_without_episodes_or_updates_has_only_counts_and_rates) {
  Telemetry telemetry;
  const auto metrics = taken(telemetry, 1000);
  EXPECT_EQ(metrics.at("agents"), 3);
  EXPECT_GT(metrics.at("frames_per_s"), 0);
  EXPECT_EQ(metrics.size(), 2U);
}

TEST(Telemetry, has_means_over_the_episodes_of_the_window) {
  Telemetry telemetry;
  const auto metrics = taken(telemetry, 10, {{1, 2, 6}, {10, 20, 30}, 17});
  EXPECT_EQ(metrics.at("episode_return"), 3);
  EXPECT_EQ(metrics.at("episode_length"), 20);
  EXPECT_EQ(metrics.at("episodes"), 17);
}

TEST(Telemetry, divides_sums_over_samples_and_over_updates_by_their_numbers) {
  Telemetry telemetry;
  LearningMeter learning;
  learning.updates = 4;
  learning.samples = 100;
  learning.loss = {10, 20, 30};
  learning.gradient_norm = 2;
  learning.policy_lag = 50;
  learning.rate = 0.125;
  const auto metrics = taken(telemetry, 10, {}, learning);
  EXPECT_DOUBLE_EQ(metrics.at("policy_loss"), 0.1);
  EXPECT_DOUBLE_EQ(metrics.at("value_loss"), 0.2);
  EXPECT_DOUBLE_EQ(metrics.at("entropy"), 0.3);
  EXPECT_DOUBLE_EQ(metrics.at("gradient_norm"), 0.5);
  EXPECT_DOUBLE_EQ(metrics.at("policy_lag"), 0.5);
  EXPECT_DOUBLE_EQ(metrics.at("learning_rate"), 0.125);
  EXPECT_DOUBLE_EQ(metrics.at("train_batch"), 25);
}

TEST(Telemetry, adds_up_the_queues_and_starts_again_after_it_was_taken) {
  Telemetry telemetry;
  telemetry.add({{2, 8, 20}, {1, 3, 7}});
  telemetry.add({{2, 0, 20}, {1, 5, 7}});
  const auto metrics = taken(telemetry, 10);
  EXPECT_EQ(metrics.at("predict_batch"), 10);
  EXPECT_EQ(metrics.at("predict_queue"), 2);
  EXPECT_EQ(metrics.at("train_queue"), 4);
  EXPECT_EQ(metrics.at("predictors"), 2);
  EXPECT_EQ(metrics.at("trainers"), 1);
  EXPECT_FALSE(taken(telemetry, 20).contains("predict_batch"));
}

TEST(Telemetry, does_not_count_the_frames_of_an_earlier_process) {
  Telemetry telemetry;
  telemetry.start_at(1000);
  EXPECT_EQ(taken(telemetry, 1000).at("frames_per_s"), 0);
}

}  // namespace
}  // namespace hone::ac

namespace hone::trainers {
namespace {

struct Count {
  double number;
  const char* text;
};

class ShortCount : public testing::TestWithParam<Count> {};

TEST_P(ShortCount, has_three_digits_and_a_suffix) {
  EXPECT_EQ(short_count(GetParam().number), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Counts, ShortCount,
                         testing::Values(Count{0, "0"}, Count{999, "999"}, Count{1000, "1k"},
                                         Count{250'000, "250k"}, Count{1'234'567, "1.23M"},
                                         Count{2e9, "2.00G"}),
                         [](const auto& one) { return case_name(one.param.text, one.index); });

TEST(ProgressLine, has_the_step_the_objective_the_rate_and_the_time_left) {
  const ProgressLine line({"frames", "return", 0, 1'000'000}, false);
  EXPECT_EQ(line.text(250'000, Score::of(12.34), 10),
            "250k / 1.00M frames  return 12.3  25k frames/s  ETA 30 s");
}

TEST(ProgressLine, counts_the_rate_from_the_step_at_which_this_process_began) {
  const ProgressLine line({"frames", "return", 200'000, 1'000'000}, false);
  EXPECT_EQ(line.text(250'000, Score::of(1), 10),
            "250k / 1.00M frames  return 1.0  5k frames/s  ETA 2 min");
}

TEST(ProgressLine, has_no_rate_before_the_first_second_and_no_time_left_at_the_end) {
  const ProgressLine line({"episodes", "return", 0, 100}, false);
  EXPECT_EQ(line.text(0, Score::of(0), 0), "0 / 100 episodes  return 0.0");
  EXPECT_EQ(line.text(100, Score::of(200), 4), "100 / 100 episodes  return 200.0  25 episodes/s");
}

TEST(ProgressLine, names_a_run_that_has_diverged) {
  const ProgressLine line({"frames", "return", 0, 100}, false);
  EXPECT_NE(line.text(50, Score::diverged(), 1).find("return diverged"), std::string::npos);
}

TEST(ProgressLine, writes_long_times_in_hours) {
  const ProgressLine line({"frames", "return", 0, 1'000'000}, false);
  EXPECT_NE(line.text(1000, Score::of(0), 10).find("ETA 2.8 h"), std::string::npos)
      << line.text(1000, Score::of(0), 10);
}

}  // namespace
}  // namespace hone::trainers
