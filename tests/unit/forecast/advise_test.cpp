#include "server/forecast/advise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "server/forecast/speed.hpp"

namespace hone::forecast {
namespace {

// The case of Hemingway: an iteration is fastest on 27 machines, the target is reached first on 8.
const ScaleModel true_times{{0.02, 3.2, 0.01, 0.004}, 128};
double loss_at(double i, double m) { return std::pow(1 - 0.9 / (std::pow(m, 0.75) + 1), i); }

AdviceRun run_of(int m) {
  AdviceRun run{"ga3c", m, {}};
  for (double i = 1; i < 400 && loss_at(i, m) > 1e-5; i = std::ceil(i * 1.25))
    run.curve.push_back({i, i * true_times.seconds(m), loss_at(i, m)});
  return run;
}

std::vector<AdviceRun> runs_of(std::vector<int> sizes) {
  std::vector<AdviceRun> runs;
  for (const int m : sizes) runs.push_back(run_of(m));
  return runs;
}

TEST(Advise, the_target_is_reached_first_on_fewer_machines_than_the_fastest_iteration_has) {
  const auto rows =
      advise(runs_of({1, 2, 4, 8, 16, 32, 64, 128}), {Goal::minimize, std::optional(1e-3), 0});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].fastest, 27);
  EXPECT_EQ(rows[0].size, 8);
  EXPECT_NEAR(rows[0].seconds, 19.4, 4);
  ASSERT_TRUE(rows[0].time_error && rows[0].progress_error);
  EXPECT_LT(*rows[0].time_error, 0.1);
}

TEST(Advise, no_size_beyond_twice_the_largest_one_is_named) {
  const auto rows = advise(runs_of({1, 2, 4}), {Goal::minimize, std::optional(1e-3), 0});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_LE(rows[0].size, 8);
  EXPECT_LE(rows[0].fastest, 8);
}

TEST(Advise, a_deadline_beyond_twice_the_longest_run_has_no_answer) {
  const auto rows = advise(runs_of({1, 2, 4}), {Goal::minimize, std::nullopt, 1e6});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].size, 0);
  EXPECT_NE(rows[0].why.find("twice"), std::string::npos);
}

TEST(Advise, a_target_that_no_run_has_reached_has_no_answer) {
  const auto rows = advise(runs_of({1, 2, 4}), {Goal::minimize, std::optional(1e-9), 0});
  EXPECT_EQ(rows[0].size, 0);
  EXPECT_EQ(rows[0].why, "no run of the history has reached it");
}

TEST(Advise, a_trainer_with_few_runs_or_one_size_is_not_extrapolated) {
  const AdviceQuestion question{Goal::minimize, std::optional(1e-1), 0};
  EXPECT_NE(advise(runs_of({2, 2}), question)[0].why.find("too few runs"), std::string::npos);
  const auto rows = advise(runs_of({2, 2, 2}), question);
  EXPECT_EQ(rows[0].size, 2);
  EXPECT_EQ(rows[0].fastest, 2);
  EXPECT_FALSE(rows[0].time_error || rows[0].progress_error);
}

// Values rise to 100 times `height`.
AdviceRun rising(int size, double height) {
  AdviceRun run{"ga3c", size, {}};
  for (int i = 1; i <= 20; ++i) run.curve.push_back({100.0 * i, i / double(size), 5 * i * height});
  return run;
}

double value_after(const std::vector<AdviceRun>& runs, double seconds) {
  const auto rows = advise(runs, {Goal::maximize, std::nullopt, seconds});
  EXPECT_EQ(rows[0].size, 1) << rows[0].why;
  return rows[0].value;
}

TEST(Advise, all_runs_of_a_size_count_and_not_the_good_ones_alone) {
  std::vector<AdviceRun> runs;
  for (const double height : {1.0, 0.5, 0.5, 0.5, 0.1}) runs.push_back(rising(1, height));
  EXPECT_NEAR(value_after(runs, 20), 50, 5);
}

TEST(Advise, a_run_that_was_stopped_keeps_its_last_value) {
  std::vector<AdviceRun> runs{rising(1, 1)};
  for (int i = 0; i < 2; ++i) {
    runs.push_back(rising(1, 0.5));
    runs.back().curve.resize(10);  // ends with 25
  }
  EXPECT_GT(value_after(runs, 20), 80) << "the steps of the run that is left";
  for (AdviceRun& run : runs) run.stopped = run.curve.size() == 10;
  EXPECT_LT(value_after(runs, 20), 40);
}

}  // namespace
}  // namespace hone::forecast
