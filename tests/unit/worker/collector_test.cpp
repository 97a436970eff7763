// Rows of what a program writes, as reports of phases: no program, no file.
#include "worker/agent/collector.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "worker/agent/glob.hpp"

namespace hone::worker {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

CollectSpec csv() {
  CollectSpec spec;
  spec.file = "results.txt";
  spec.objectives = {"score"};
  spec.step = "step";
  return spec;
}

struct Heard {
  std::vector<ReportLine> reports;
  std::vector<MetricPoint> metrics;
};

Heard sorted(const std::vector<TrialLine>& said) {
  Heard heard;
  for (const auto& line : said) {
    if (const auto* report = std::get_if<ReportLine>(&line)) heard.reports.push_back(*report);
    if (const auto* point = std::get_if<MetricPoint>(&line)) heard.metrics.push_back(*point);
  }
  return heard;
}

Heard heard_of(Collector& collector, const std::vector<std::string>& lines, bool ends = false) {
  std::vector<TrialLine> said;
  for (const auto& line : lines) collector.take(line, said);
  if (ends) collector.finish(said);
  return sorted(said);
}

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

CollectSpec counted_rows() {
  CollectSpec spec = csv();
  spec.step.clear();
  return spec;
}

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

TEST(Columns, numbers_and_fields) {
  EXPECT_EQ(number_in(" +1.5 "), 1.5);
  EXPECT_EQ(number_in("1e-3"), 0.001);
  EXPECT_FALSE(number_in("1,5"));
  EXPECT_FALSE(number_in(""));
  EXPECT_FALSE(number_in("0x10"));
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

}  // namespace
}  // namespace hone::worker
