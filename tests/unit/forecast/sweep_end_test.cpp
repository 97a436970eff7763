#include "server/forecast/sweep_end.hpp"

#include <gtest/gtest.h>

namespace hone::forecast {
namespace {

SweepSoFar sweep_at(std::int64_t started, std::int64_t training) {
  return {.rule = "none",
          .runs = 40,
          .runs_started = started,
          .training = training,
          .ended = started - training,
          .phases_done = 10 * (started - training) + 5 * training,
          .phases_per_run = 10,
          .phases_per_s = 2};
}

// Four runs train a phase in 2 s each; the six that ended trained 10 phases each.
TEST(SweepEnd, counts_proposals_running_runs_and_a_last_complete_run) {
  const auto times = end_times(sweep_at(10, 4));
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->proposals, 30 * 10 / 2.0);  // 80 phases of 6 that ended: at most 10 each
  EXPECT_DOUBLE_EQ(times->training, 2 * 10);
  EXPECT_DOUBLE_EQ(times->complete_run, 2 * 10);
  EXPECT_DOUBLE_EQ(weighted(*times, {1, 0.5, 0.25, 1, 1}), 150 + 10 + 5);
}

TEST(SweepEnd, of_complete_runs_is_near_the_phases_left_over_the_pace) {
  const auto end = forecast_sweep_end(sweep_at(10, 4));
  ASSERT_TRUE(end);
  EXPECT_NEAR(end->seconds, (300 + 20) / 2.0, 20);
  EXPECT_LT(end->low, end->seconds);
  EXPECT_GT(end->high, end->seconds);
}

TEST(SweepEnd, widens_while_runs_hang) {
  auto sweep = sweep_at(10, 4);
  sweep.phases_per_s_before = sweep.phases_per_s;
  const auto usual = *forecast_sweep_end(sweep);
  sweep.silence_s = 1.9;  // a phase of one run takes 2 s
  EXPECT_EQ(forecast_sweep_end(sweep)->high, usual.high);
  double share = (usual.high - usual.low) / usual.seconds;
  for (const double silence : {4.0, 20.0, 200.0}) {
    sweep.silence_s = silence;
    sweep.phases_per_s = 2 * 20 / (20 + silence);  // of 40 phases in 20 s, and the silence
    const auto end = *forecast_sweep_end(sweep);
    EXPECT_GT((end.high - end.low) / end.seconds, share) << silence;
    EXPECT_NEAR(end.low, usual.low, 1e-9) << "the next phase may end now, at the pace before";
    EXPECT_LT(end.low, end.seconds);
    share = (end.high - end.low) / end.seconds;
  }
}

TEST(SweepEnd, needs_a_phase_a_pace_and_something_left) {
  auto sweep = sweep_at(10, 4);
  sweep.phases_done = 0;
  EXPECT_FALSE(forecast_sweep_end(sweep));
  sweep = sweep_at(10, 4);
  sweep.phases_per_s = 0;
  EXPECT_FALSE(forecast_sweep_end(sweep));
  EXPECT_FALSE(forecast_sweep_end(sweep_at(40, 0)));
}

TEST(SweepEnd, of_every_rule_is_an_interval_around_its_forecast) {
  for (const TerminatorRow& row : terminator_table())
    for (const EndWeights* weights : {&row.proposing, &row.finishing}) {
      EXPECT_GT(weights->proposals + weights->training + weights->complete_run, 0) << row.rule;
      EXPECT_LT(weights->low, 1) << row.rule;
      EXPECT_GT(weights->high, 1) << row.rule;
    }
}

}  // namespace
}  // namespace hone::forecast
