#include "sdk/cli/render/progress.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "sdk/cli/render/pace.hpp"
#include "sdk/cli/render/plot.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

constexpr Instant start{1'000'000'000'000'000};

double seconds_left(const Pace& pace, std::int64_t expected) {
  const auto left = pace.left(expected);
  return left ? static_cast<double>(left->us) / 1e6 : -1;
}

TEST(CliPace, is_unknown_until_there_is_progress) {
  Pace pace;
  EXPECT_FALSE(pace.left(100));
  pace.observe(start, 0);
  EXPECT_FALSE(pace.left(100));
  pace.observe(start + seconds(10), 0);
  EXPECT_FALSE(pace.per_second());
}

TEST(CliPace, is_the_plain_mean_at_first) {
  Pace pace;
  pace.observe(start, 0);
  pace.observe(start + seconds(10), 5);
  EXPECT_NEAR(pace.per_second().value_or(0), 0.5, 1e-9);
  EXPECT_NEAR(seconds_left(pace, 105), 200, 1e-3);
}

TEST(CliPace, one_look_is_as_good_as_many) {
  Pace once;
  once.observe(start, 0);
  once.observe(start + seconds(20), 20);
  Pace often;
  for (int s = 0; s <= 20; ++s) often.observe(start + seconds(s), s);
  EXPECT_NEAR(once.per_second().value_or(0), often.per_second().value_or(1), 1e-6);
}

TEST(CliPace, forgets_an_old_pace) {
  Pace pace;
  pace.observe(start, 0);
  int s = 0;
  std::int64_t done = 0;
  for (; s < 100; ++s) pace.observe(start + seconds(s + 1), done += 10);
  for (; s < 700; ++s) pace.observe(start + seconds(s + 1), done += 1);
  EXPECT_GT(pace.per_second().value_or(0), 0.99);
  EXPECT_LT(pace.per_second().value_or(9), 2.0);
}

TEST(CliPace, does_not_swing_with_slow_phases) {
  Pace pace;  // a phase every ten minutes, looked at every second
  pace.observe(start, 0);
  for (int s = 1; s <= 36'000; ++s) pace.observe(start + seconds(s), s / 600);
  const double just_after = pace.per_second().value_or(0);
  for (int s = 36'001; s < 36'600; ++s) pace.observe(start + seconds(s), 60);
  const double just_before = pace.per_second().value_or(0);
  EXPECT_NEAR(just_after, 1.0 / 600, 0.1 / 600);
  EXPECT_NEAR(just_before, 1.0 / 600, 0.1 / 600);
}

TEST(CliPace, has_no_eta_once_everything_expected_is_done) {
  Pace pace;
  pace.observe(start, 0);
  pace.observe(start + seconds(10), 12);
  EXPECT_FALSE(pace.left(12));
  EXPECT_FALSE(pace.left(10));
}

Json sweep_json() {
  return Json::parse(R"({"id":"sw_7","name":"ga3c-cartpole","state":"running","reason":"none",
    "submitted_at":"2026-11-21T10:00:00.000000Z","ended_at":null,
    "objective":{"metric":"return","goal":"maximize"},"trials":{"total":32,"proposed":20},
    "runs":{"queued":2,"leased":0,"running":4,"paused":0,"completed":10,"stopped":3,"failed":1,"canceled":0},
    "phases":{"done":154,"expected":320},
    "best":{"trial":"tr_12","run":"rn_12.0","value":471.52,"phase":6,"step":700000},
    "spec":{"budget":{"unit":"frames","per_run":1000000,"phases":10}}})");
}

SweepProgress standing_with(Json sweep) {
  SweepProgress progress{
      std::move(sweep), Json::parse(R"({"learning_rate":0.00123456,"t_max":8})"), {}, start};
  progress.pace.observe(start - seconds(154), 0);
  progress.pace.observe(start, 154);
  return progress;
}

// It stood without a sign of doubt, and moved: 101, 114, 93.
TEST(CliProgress, an_estimated_number_of_phases_is_marked) {
  Json sweep = sweep_json();
  EXPECT_NE(progress_line(standing_with(sweep)).find("154/~320 phases"), std::string::npos);
  sweep["spec"]["terminator"] = {{"rule", "none"}};
  EXPECT_NE(progress_line(standing_with(sweep)).find("154/320 phases"), std::string::npos);
}

TEST(CliProgress, line_has_everything) {
  EXPECT_EQ(progress_line(standing_with(sweep_json())),
            "sw_7  running  48%  154/~320 phases  4 running  1 failed  best 471.5 (tr_12)  1/s  "
            "ETA 2m46s");
}

TEST(CliProgress, line_has_the_time_left_that_the_server_forecasts) {
  Json sweep = sweep_json();
  sweep["eta"] = Json{{"seconds", 300}, {"low", 200}, {"high", 480}};
  const std::string line = progress_line(standing_with(sweep));
  EXPECT_NE(line.find("ETA 5m00s (3m20s-8m00s)"), std::string::npos) << line;
}

TEST(CliProgress, line_counts_the_paused_runs) {
  Json sweep = sweep_json();
  sweep["runs"]["paused"] = 3;
  const std::string line = progress_line(standing_with(sweep));
  EXPECT_NE(line.find("4 running  3 paused  1 failed"), std::string::npos) << line;
}

TEST(CliProgress, eta_is_dashes_while_unknown) {
  Json sweep = sweep_json();
  sweep["best"] = nullptr;
  EXPECT_EQ(progress_line({sweep, {}, {}, start}),
            "sw_7  running  48%  154/~320 phases  4 running  1 failed  best --  --/s  ETA --");
}

TEST(CliProgress, a_sweep_that_no_worker_can_train_waits) {
  SweepProgress progress = standing_with(sweep_json());
  progress.shortage = "no worker is connected: a run needs 1 slot";
  EXPECT_NE(progress_line(progress).find("  waits: no worker is connected"), std::string::npos);
  EXPECT_NE(progress_block(progress, {40, true, false, true}).find("waits no worker"),
            std::string::npos);
}

TEST(CliProgress, only_a_completed_sweep_is_at_hundred_percent) {
  Json sweep = sweep_json();
  sweep["phases"] = {{"done", 330}, {"expected", 320}};
  EXPECT_EQ(percent(sweep), 99);
  sweep["state"] = "canceled";
  EXPECT_EQ(percent(sweep), 99);
  sweep["state"] = "completed";
  EXPECT_EQ(percent(sweep), 100);
  sweep["phases"] = {{"done", 0}, {"expected", 0}};
  sweep["state"] = "running";
  EXPECT_EQ(percent(sweep), 0);
}

TEST(CliProgress, bar) {
  EXPECT_EQ(bar(50, 8, true), "████░░░░");
  EXPECT_EQ(bar(100, 4, false), "####");
  EXPECT_EQ(bar(0, 4, false), "....");
}

TEST(CliProgress, block_fits_every_screen) {
  const SweepProgress progress = standing_with(sweep_json());
  for (const int columns : {40, 60, 80, 120}) {
    std::istringstream lines(progress_block(progress, {columns, true, false, true}));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      EXPECT_LE(display_width(line), columns) << line;
    EXPECT_EQ(count, 4) << columns;
  }
}

// The first leaders, what runs and what failed last; nothing wraps, parameters are always seen.
TEST(CliProgress, block_shows_leaders_running_runs_and_the_newest_failure) {
  SweepProgress progress = standing_with(sweep_json());
  for (int i = 1; i <= 5; ++i)
    progress.leaders.push_back({{"rank", i},
                                {"id", "tr_" + std::to_string(20 + i)},
                                {"value", 500.0 - i},
                                {"confirmed", nullptr},
                                {"seeds", 3},
                                {"length", 10},
                                {"state", "completed"},
                                {"params", {{"learning_rate", 0.001 * i}, {"t_max", 8}}}});
  progress.running.push_back({{"id", "rn_31.0"},
                              {"phase", 4},
                              {"value", 212.5},
                              {"best", 230.0},
                              {"started_at", nullptr},
                              {"worker", "wk_1"}});
  progress.failure = "rn_7.0 failed: RuntimeError: CUDA error: " + std::string(90, 'x');
  for (const int columns : {80, 140}) {
    const std::string block = progress_block(progress, {columns, true, false, true});
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), columns) << line;
    for (const char* words : {"tr_21", "tr_25", "learning_rate=0.005", "rn_31.0", "212.5",
                              "rn_7.0 failed: RuntimeError"})
      EXPECT_NE(block.find(words), std::string::npos) << words << " in\n" << block;
  }
}

TEST(CliProgress, block_at_eighty_columns) {
  const std::string block = progress_block(standing_with(sweep_json()), {80, true, false, true});
  EXPECT_NE(block.find("100k frames/s"), std::string::npos) << block;
  EXPECT_NE(block.find("ETA 2m46s"), std::string::npos) << block;
  EXPECT_NE(block.find("471.5  tr_12  learning_rate=0.001235 t_max=8"), std::string::npos) << block;
}

TEST(CliPlot, rising_line_goes_from_bottom_left_to_top_right) {
  const std::string chart = plot({{0, 0}, {100, 10}}, {22, 5, false});
  EXPECT_EQ(chart,
            "10 |               ***\n"
            "   |           ****\n"
            " 5 |       ****\n"
            "   |   ****\n"
            " 0 |***\n"
            "   +------------------\n"
            "    0              100\n");
}

TEST(CliPlot, several_lines_have_letters_and_their_names) {
  const std::string chart = plot_series(
      {{"rn_1.0", {{0, 0}, {100, 10}}}, {"rn_2.0", {{0, 10}, {100, 10}}}, {"rn_3.0", {}}},
      {22, 5, false});
  EXPECT_EQ(chart,
            "10 |bbbbbbbbbbbbbbbbbb\n"
            "   |           aaaa\n"
            " 5 |       aaaa\n"
            "   |   aaaa\n"
            " 0 |aaa\n"
            "   +------------------\n"
            "    0              100\n"
            "    a=rn_1.0 b=rn_2.0\n"
            "    c=rn_3.0\n");
  EXPECT_EQ(plot_series({{"rn_1.0", {}}}, {22, 5, false}), "");
}

TEST(CliPlot, braille_keeps_to_its_frame) {
  std::vector<PlotPoint> points;
  for (int i = 0; i < 300; ++i) points.push_back({i * 1e4, std::sin(i / 20.0) * 200});
  std::istringstream lines(plot(points, {80, 12, true}));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(display_width(line), 80);
  EXPECT_EQ(count, 14);
}

TEST(CliPlot, draws_the_ends_of_all_numbers) {
  // The distance of 1e308 and -1e308 is no number, and its place was outside the chart.
  const std::vector<std::vector<PlotPoint>> curves = {
      {{0, -1e308}, {0x1p53, 1e308}}, {{-0x1p53, 1e308}, {0x1p53, 1e308}}, {{0, 0}, {1, 5e-324}}};
  for (const auto& curve : curves) {
    EXPECT_NE(plot(curve, {80, 12, true}), "");
    EXPECT_NE(plot_series({{"a", curve}, {"b", curve}}, {80, 12, false}), "");
  }
}

TEST(CliPlot, flat_and_single_points_are_drawn) {
  EXPECT_NE(plot({{5, 1}}, {30, 5, false}).find('*'), std::string::npos);
  EXPECT_NE(plot({{5, 1}, {6, 1}}, {30, 5, false}).find('*'), std::string::npos);
  EXPECT_EQ(plot({}, {30, 5, false}), "");
}

TEST(CliLogs, control_characters_of_a_program_do_nothing_to_a_terminal) {
  EXPECT_EQ(printable_log("a\tb\nc\r\nd\re"), "a\tb\nc\nd\ne");
  EXPECT_EQ(printable_log("\x1b[1;31mred\x1b[0m \x1b[m"), "red ");
  EXPECT_EQ(printable_log("\x1b]0;title\x07\x1b[2J\x7f"), "^[]0;title^G^[[2J^?");
  EXPECT_EQ(printable_log(std::string_view("\0\b", 2)), "^@^H");
  EXPECT_EQ(printable_log("\xc2\x9b"
                          "2J \xe2\x80\xae"),
            "<U+009B>2J <U+202E>");
  EXPECT_EQ(printable_log("gr\xc3\xbc\xc3\x9f \xff"), "gr\xc3\xbc\xc3\x9f ?");
  EXPECT_EQ(printable_log("\x1b[31"), "^[[31") << "a sequence that is cut";
}

}  // namespace
}  // namespace hone::cli
