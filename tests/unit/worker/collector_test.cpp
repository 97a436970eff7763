// Rows of what a program writes, as reports of phases: no program, no file.
#include "worker/agent/collector.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/worker/collected.hpp"
#include "worker/agent/glob.hpp"

namespace hone::worker {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Collector, a_phase_is_reported_by_the_row_that_reaches_its_end) {
  Collector collector(csv(), {"steps", 100, 2}, {});
  const auto heard = heard_of(collector, {"step,score", "10,1", "49,2", "50,3", "80,4", "120,5"});
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[0].phase, 0);
  EXPECT_EQ(heard.reports[0].step, 50);
  EXPECT_EQ(heard.reports[0].score, Score::of(3));
  EXPECT_EQ(heard.reports[1].phase, 1);
  EXPECT_EQ(heard.reports[1].score, Score::of(5));
}

TEST(Collector, a_row_past_several_phases_is_the_report_of_each) {
  Collector collector(csv(), {"steps", 100, 4}, {});
  EXPECT_EQ(heard_of(collector, {"step,score", "80,7"}).reports.size(), 3U);
}

TEST(Collector, steps_are_counted_as_published_ga3c_needs_it) {
  CollectSpec spec = csv();
  spec.columns = {"time", "score", "length"};
  spec.step = "length";
  spec.step_sum = true;
  spec.window = 2;
  spec.metrics = {"length"};
  Collector collector(spec, {"steps", 200, 2}, {});
  const auto heard =
      heard_of(collector, {"2016-11-01 10:00:00, -20, 60", "2016-11-01 10:00:02, 10, 60",
                           "2016-11-01 10:00:04, 20, 90"});
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[0].step, 120);
  EXPECT_EQ(heard.reports[0].score, Score::of(-5));
  EXPECT_EQ(heard.reports[1].step, 210);
  EXPECT_EQ(heard.reports[1].score, Score::of(15));
  ASSERT_EQ(heard.metrics.size(), 3U);
  EXPECT_EQ(heard.metrics[2].step, 210);
}

TEST(Collector, rows_are_counted_where_there_is_no_step) {
  CollectSpec spec = csv();
  spec.step.clear();
  Collector collector(spec, {"epochs", 3, 3}, {});
  EXPECT_EQ(heard_of(collector, {"score", "1", "2"}).reports.size(), 2U);
}

TEST(Collector, the_open_phase_is_reported_when_the_program_ends_well) {
  Collector collector(csv(), {"steps", 100, 2}, {});
  const auto heard = heard_of(collector, {"step,score", "50,1", "97,2"}, true);
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[1].step, 97);
  EXPECT_EQ(heard.reports[1].score, Score::of(2));
}

TEST(Collector, patterns_join_values_of_several_lines) {
  CollectSpec spec = csv();
  spec.format = CollectFormat::regex;
  spec.patterns = {R"(^step (?<step>\d+))", R"(score: (?P<score>[-+.e\d]+|nan))"};
  Collector collector(spec, {"steps", 100, 2}, {});
  const auto heard = heard_of(
      collector, {"loading ...", "step 50", "... score: -1.5e1", "step 100 score: nan, oh no"});
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[0].score, Score::of(-15));
  EXPECT_EQ(heard.reports[1].score, Score::of(not_a_number));
}

TEST(Collector, objects_of_json_may_be_nested_and_follow_other_output) {
  CollectSpec spec = csv();
  spec.format = CollectFormat::jsonl;
  spec.objectives = {"eval.score"};
  Collector collector(spec, {"steps", 10, 1}, {});
  const auto heard = heard_of(collector, {"hello", R"({"step": 10, "eval": {"score": 4}})"});
  ASSERT_EQ(heard.reports.size(), 1U);
  EXPECT_EQ(heard.reports[0].score, Score::of(4));
}

CollectSpec events_spec(std::vector<std::string> objectives) {
  CollectSpec spec;
  spec.file = "runs";
  spec.format = CollectFormat::tensorboard;
  spec.objectives = std::move(objectives);
  spec.metrics = {"losses/value"};
  return spec;
}

Heard heard_of(Collector& collector, const std::vector<ScalarEvent>& events, bool ends = false) {
  std::vector<TrialLine> said;
  for (const auto& event : events) collector.take(event, said);
  if (ends) collector.finish(said);
  return sorted(said);
}

TEST(Collector, scalars_of_event_files_bring_their_step) {
  Collector collector(events_spec({"return"}), {"steps", 100, 2}, {});
  const auto heard = heard_of(collector, {{10, 0, {{"return", 1}}},
                                          {45, 0, {{"losses/value", 0.5}, {"other", 9}}},
                                          {50, 0, {{"return", 3}}},
                                          {60, 0, {{"losses/value", not_a_number}}},
                                          {120, 0, {{"return", 5}}}});
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[0].step, 50);
  EXPECT_EQ(heard.reports[0].score, Score::of(3));
  EXPECT_EQ(heard.reports[1].score, Score::of(5));
  ASSERT_EQ(heard.metrics.size(), 1U) << "a value that is no number is left out";
  EXPECT_EQ(heard.metrics[0].name, "losses/value");
  EXPECT_EQ(heard.metrics[0].step, 45);
}

TEST(Collector, scalars_of_one_step_are_one_row_of_several_objectives) {
  Collector collector(events_spec({"return", "cost"}), {"steps", 100, 2}, {});
  const auto heard = heard_of(collector,
                              {{50, 0, {{"return", 1}}},
                               {50, 0, {{"cost", 2}}},
                               {100, 0, {{"cost", 4}}},
                               {100, 0, {{"return", 3}}}},
                              true);
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[0].score, Score::of(1));
  EXPECT_EQ(heard.reports[0].further, (std::vector{Score::of(2)}));
  EXPECT_EQ(heard.reports[1].score, Score::of(3));
  EXPECT_EQ(heard.reports[1].further, (std::vector{Score::of(4)}));
}

TEST(Collector, a_tag_that_no_event_has_is_named_with_those_there_are) {
  Collector collector(events_spec({"retrun"}), {"steps", 100, 1}, {});
  EXPECT_TRUE(heard_of(collector, {{100, 0, {{"charts/return", 1}}}}, true).reports.empty());
  const auto complaint = collector.take_complaint().value_or("");
  EXPECT_NE(complaint.find("'retrun'"), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("charts/return"), std::string::npos) << complaint;
}

TEST(Collector, every_summary_of_a_window) {
  for (const auto& [summary, value] : std::vector<std::pair<Summary, double>>{{Summary::last, 2},
                                                                              {Summary::mean, 4},
                                                                              {Summary::median, 3},
                                                                              {Summary::max, 7},
                                                                              {Summary::min, 2}}) {
    CollectSpec spec = csv();
    spec.window = 3;
    spec.summary = summary;
    Collector collector(spec, {"steps", 40, 1}, {});
    const auto heard = heard_of(collector, {"step,score", "10,99", "20,7", "30,3", "40,2"});
    ASSERT_EQ(heard.reports.size(), 1U);
    EXPECT_EQ(heard.reports[0].score, Score::of(value));
  }
}

TEST(Collector, a_window_of_none_is_the_phase) {
  CollectSpec spec = csv();
  spec.window = 0;
  Collector collector(spec, {"steps", 40, 2}, {});
  const auto heard = heard_of(collector, {"step,score", "10,1", "20,3", "30,10", "40,20"});
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_EQ(heard.reports[0].score, Score::of(2));
  EXPECT_EQ(heard.reports[1].score, Score::of(15));
}

TEST(Collector, lines_that_are_not_rows_are_logged_a_few_times) {
  Collector collector(csv(), {"steps", 100, 1}, {});
  std::vector<TrialLine> said;
  int told = 0;
  collector.take("step,score", said);
  for (int i = 0; i < 50; ++i) {
    collector.take("\xff\xfe,\x01", said);
    if (collector.take_complaint()) ++told;
  }
  EXPECT_EQ(told, 5);
  EXPECT_TRUE(said.empty());
  collector.take("-5,1", said);
  collector.take("1e300,1", said);
  EXPECT_TRUE(said.empty());
}

TEST(Collector, a_file_that_begins_again_is_counted_again) {
  CollectSpec spec = csv();
  spec.step_sum = true;
  Collector collector(spec, {"steps", 100, 1}, {});
  std::vector<TrialLine> said;
  collector.take("step,score", said);
  collector.take("90,1", said);
  collector.restart();
  collector.take("step,score", said);
  collector.take("90,1", said);
  EXPECT_TRUE(said.empty());
}

TEST(Columns, fields) {
  EXPECT_EQ(csv_fields(R"(a,"b, ""c""", d)", ','),
            (std::vector<std::string>{"a", "b, \"c\"", "d"}));
  EXPECT_EQ(csv_fields("  1   2\t3 ", ' '), (std::vector<std::string>{"1", "2", "3"}));
}

TEST(Glob, stars_stay_in_their_folder_and_double_stars_do_not) {
  EXPECT_TRUE(matches_glob("*.png", "loss.png"));
  EXPECT_FALSE(matches_glob("*.png", "plots/loss.png"));
  EXPECT_TRUE(matches_glob("**/*.png", "plots/a/loss.png"));
  EXPECT_TRUE(matches_glob("**/*.png", "loss.png"));
  EXPECT_TRUE(matches_glob("plots", "plots/a/loss.png"));
  EXPECT_TRUE(matches_glob("plots/**", "plots/a/loss.png"));
  EXPECT_TRUE(matches_glob("plots/*/l?ss.png", "plots/a/loss.png"));
  EXPECT_FALSE(matches_glob("plots/*/l?ss.png", "plots/a/b/loss.png"));
  EXPECT_FALSE(matches_glob("a*b*c", "aXbXd"));
  EXPECT_TRUE(matches_glob("*", "a"));
  EXPECT_FALSE(matches_glob("", "a"));
}

TEST(Collector, a_row_whose_step_is_negative_is_skipped_and_the_user_is_notified) {
  Collector collector(csv(), {"steps", 100, 2}, {});
  EXPECT_TRUE(heard_of(collector, std::vector<std::string>{"step,score", "-60,1"}).reports.empty());
  EXPECT_NE(collector.take_complaint().value_or("").find("not a count"), std::string::npos);
}

}  // namespace
}  // namespace hone::worker
