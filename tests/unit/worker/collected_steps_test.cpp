// Which training the rows of an attempt belong to: after pauses, crashes and steps of a pipeline.
#include <gtest/gtest.h>

#include "tests/unit/worker/collected.hpp"

namespace hone::worker {
namespace {

TEST(Collector, phases_before_the_origin_are_skipped) {
  Collector collector(csv(), {"steps", 100, 4}, {50, 2, 0, 50});
  const auto heard = heard_of(collector, {"step,score", "60,2", "75,3"});
  ASSERT_EQ(heard.reports.size(), 1U);
  EXPECT_EQ(heard.reports[0].phase, 2);
  EXPECT_EQ(heard.reports[0].score, Score::of(3));
}

// They were counted from 0: phase 5 held the value of epoch 10.
TEST(Collector, rows_of_a_resumed_run_count_from_its_checkpoint) {
  Collector collector(counted_rows(), {"epochs", 10, 10}, {5, 5, 0, 5});
  const auto heard = heard_of(collector, {"score", "6", "7"});
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[0].phase, 5);
  EXPECT_EQ(heard.reports[0].step, 6);
  EXPECT_EQ(heard.reports[0].score, Score::of(6));
  EXPECT_EQ(heard.reports[1].phase, 6);
}

TEST(Collector, summed_steps_of_a_resumed_run_begin_at_its_checkpoint) {
  CollectSpec spec = csv();
  spec.step_sum = true;
  spec.metrics = {"step"};
  Collector collector(spec, {"steps", 100, 4}, {50, 2, 0, 50});
  const auto heard = heard_of(collector, {"step,score", "15,1", "15,2"});
  ASSERT_EQ(heard.reports.size(), 1U);
  EXPECT_EQ(heard.reports[0].step, 80);
  ASSERT_EQ(heard.metrics.size(), 2U);
  EXPECT_EQ(heard.metrics[0].step, 65);
}

// The server judges no phase twice; the reports show that the program does not hang.
TEST(Collector, a_program_that_starts_over_reports_known_phases_again) {
  Collector collector(counted_rows(), {"epochs", 4, 4}, {0, 0, 0, 2});
  const auto heard = heard_of(collector, {"score", "1", "2", "3"});
  ASSERT_EQ(heard.reports.size(), 3U);
  EXPECT_EQ(heard.reports[2].phase, 2);
  EXPECT_EQ(heard.reports[2].score, Score::of(3));
}

// Values of known phases got into the window of the first new one.
TEST(Collector, a_window_of_a_phase_holds_no_rows_of_phases_trained_again) {
  CollectSpec spec = counted_rows();
  spec.window = 0;
  Collector collector(spec, {"epochs", 4, 2}, {0, 0, 0, 2});
  const auto heard = heard_of(collector, {"score", "100", "100", "1", "3"});
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[1].score, Score::of(2));
}

TEST(Collector, rows_between_a_checkpoint_and_the_next_phase_belong_to_it) {
  Collector collector(counted_rows(), {"epochs", 40, 4}, {15, 2, 0, 20});
  std::vector<std::string> rows{"score"};
  for (int epoch = 16; epoch <= 30; ++epoch) rows.push_back(std::to_string(epoch));
  const auto heard = heard_of(collector, rows);
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[0].phase, 1);
  EXPECT_EQ(heard.reports[0].score, Score::of(20));
  EXPECT_EQ(heard.reports[1].phase, 2);
  EXPECT_EQ(heard.reports[1].score, Score::of(30));
}

TEST(Collector, a_later_step_of_a_pipeline_may_count_from_0) {
  Collector own(csv(), {"epochs", 10, 10}, {5, 5, 5, 5});
  EXPECT_EQ(heard_of(own, {"step,score", "1,6", "2,7"}).reports.at(1).phase, 6);
  Collector absolute(csv(), {"epochs", 10, 10}, {5, 5, 5, 5});
  EXPECT_EQ(heard_of(absolute, {"step,score", "6,6", "7,7"}).reports.at(1).phase, 6);
  Collector resumed(csv(), {"epochs", 10, 10}, {7, 7, 5, 7});
  const auto heard = heard_of(resumed, {"step,score", "3,8"});
  ASSERT_EQ(heard.reports.size(), 1U);
  EXPECT_EQ(heard.reports[0].step, 8);
}

TEST(Collector, a_file_that_begins_again_reports_no_phase_twice) {
  Collector collector(counted_rows(), {"epochs", 10, 10}, {5, 5, 0, 5});
  std::vector<TrialLine> said;
  for (const char* line : {"score", "6", "7"}) collector.take(line, said);
  collector.restart();
  for (const char* line : {"score", "6", "7", "8"}) collector.take(line, said);
  const auto heard = sorted(said);
  ASSERT_EQ(heard.reports.size(), 3U);
  EXPECT_EQ(heard.reports[2].phase, 7);
  EXPECT_EQ(heard.reports[2].score, Score::of(8));
}

TEST(Collector, a_step_that_begins_again_with_each_attempt_is_added) {
  CollectSpec spec = csv();
  spec.step_restarts = true;
  Collector collector(spec, {"steps", 100, 4}, {50, 2, 0, 50});
  const auto heard = heard_of(collector, {"step,score", "10,1", "25,2"});
  ASSERT_EQ(heard.reports.size(), 1U);
  EXPECT_EQ(heard.reports[0].step, 75);
  Collector other(csv(), {"steps", 100, 4}, {50, 2, 0, 50});
  EXPECT_TRUE(heard_of(other, {"step,score", "10,1", "25,2"}).reports.empty());
  EXPECT_NE(other.take_complaint().value_or("").find("step: {restarts: step}"), std::string::npos);
}

}  // namespace
}  // namespace hone::worker
