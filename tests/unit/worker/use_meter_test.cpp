// What a run's processes use, from samples to the two metrics of the run.
#include "worker/agent/use_meter.hpp"

#include <gtest/gtest.h>

#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

constexpr std::int64_t mebi = 1024 * 1024;
constexpr Instant began{1'000'000'000};

ReportLine report_of_step(std::int64_t step) { return {std::nullopt, step, Score::of(1)}; }

double value_of(const std::vector<MetricPoint>& points, std::string_view name) {
  for (const auto& point : points)
    if (point.name == name) return point.value;
  return -1;
}

TEST(UseMeter, a_report_gives_the_mean_of_busy_cores_and_the_most_memory) {
  UseMeter meter(began);
  meter.take({1.0, 100 * mebi});
  meter.take({3.0, 300 * mebi});
  meter.take({4.0, 200 * mebi});
  const auto points = meter.line(began + seconds(8), report_of_step(500));
  ASSERT_EQ(points.size(), 2U);
  EXPECT_DOUBLE_EQ(value_of(points, "hone.cpu_cores"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(points, "hone.memory_bytes"), 300.0 * mebi);
  for (const auto& point : points) EXPECT_EQ(point.step, 500);
  // The next interval counts from here, in time and in processor time.
  meter.take({12.0, 50 * mebi});
  const auto next = meter.line(began + seconds(12), report_of_step(1000));
  EXPECT_DOUBLE_EQ(value_of(next, "hone.cpu_cores"), 2);
  EXPECT_DOUBLE_EQ(value_of(next, "hone.memory_bytes"), 200.0 * mebi) << "it began with that";
}

TEST(UseMeter, the_samples_of_gpus_give_their_mean_and_the_most_memory) {
  UseMeter meter(began);
  meter.take({1.0, 100 * mebi, GpuSample{0.2, 300 * mebi}});
  meter.take({1.5, 100 * mebi});  // the driver did not tell
  meter.take({2.0, 100 * mebi, GpuSample{0.6, 100 * mebi}});
  const auto points = meter.line(began + seconds(8), report_of_step(500));
  ASSERT_EQ(points.size(), 4U);
  EXPECT_DOUBLE_EQ(value_of(points, "hone.gpu_busy"), 0.4);
  EXPECT_DOUBLE_EQ(value_of(points, "hone.gpu_memory_bytes"), 300.0 * mebi);
  meter.take({3.0, 100 * mebi});
  EXPECT_EQ(meter.line(began + seconds(16), report_of_step(1000)).size(), 2U);
}

TEST(UseMeter, an_interval_that_is_too_short_continues) {
  UseMeter meter(began);
  meter.take({0.2, mebi});
  const Instant early = began + limits::use_shortest - Duration{1};
  EXPECT_FALSE(meter.wants(early));
  EXPECT_TRUE(meter.line(early, report_of_step(1)).empty());
  meter.take({1.0, mebi});
  const auto points = meter.line(began + seconds(1), report_of_step(2));
  EXPECT_DOUBLE_EQ(value_of(points, "hone.cpu_cores"), 1);
}

TEST(UseMeter, a_long_interval_ends_without_a_report_once_the_run_has_named_a_step) {
  UseMeter meter(began);
  meter.take({30, mebi});
  const Instant late = began + limits::use_longest;
  EXPECT_TRUE(meter.line(began + seconds(1), MetricPoint{"loss", 40, 1}).empty());
  EXPECT_TRUE(meter.tick(late - Duration{1}).empty());
  const auto points = meter.tick(late);
  ASSERT_FALSE(points.empty());
  EXPECT_EQ(points.front().step, 40);
  EXPECT_DOUBLE_EQ(value_of(points, "hone.cpu_cores"), 0.5);
  meter.take({60, mebi});
  EXPECT_TRUE(meter.tick(late + limits::use_longest).empty()) << "it would replace step 40";
}

TEST(UseMeter, a_run_that_never_reports_is_measured_at_its_end) {
  UseMeter meter(began);
  meter.take({2, 0});
  const auto points = meter.end(began + seconds(4));
  ASSERT_EQ(points.size(), 1U) << "its memory was never seen";
  EXPECT_DOUBLE_EQ(value_of(points, "hone.cpu_cores"), 0.5);
  EXPECT_EQ(points.front().step, 0);
}

TEST(UseMeter, the_end_keeps_the_points_of_the_last_report) {
  UseMeter meter(began);
  meter.take({4, mebi});
  EXPECT_FALSE(meter.line(began + seconds(4), report_of_step(100)).empty());
  EXPECT_TRUE(meter.end(began + seconds(9)).empty());
}

TEST(UseMeter, no_count_falls) {
  UseMeter meter(began);
  meter.take({5, mebi});
  meter.take({4.5, mebi});  // read while a process ended
  meter.take({7, mebi});
  EXPECT_DOUBLE_EQ(value_of(meter.line(began + seconds(7), report_of_step(1)), "hone.cpu_cores"),
                   1);
}

// The first minute of a slow start once gave a separate point, which counted like an hour.
TEST(UseMeter, a_run_that_has_named_no_step_yet_gives_no_point) {
  UseMeter meter(began);
  meter.take({6, mebi});
  EXPECT_TRUE(meter.tick(began + limits::use_longest).empty());
  meter.take({60, mebi});
  const auto points = meter.line(began + seconds(120), report_of_step(9));
  EXPECT_DOUBLE_EQ(value_of(points, "hone.cpu_cores"), 0.5);
}

// It once replaced the points that the attempt before it had measured at the same step.
TEST(UseMeter, a_resumed_run_keeps_the_points_of_its_checkpoint) {
  UseMeter meter(began, 300);
  meter.take({1, mebi});
  EXPECT_TRUE(meter.end(began + seconds(4)).empty());
  EXPECT_EQ(meter.line(began + seconds(5), report_of_step(400)).front().step, 400);
}

}  // namespace
}  // namespace hone::worker
