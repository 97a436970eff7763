// What the server keeps of the machines of workers: means of falling resolution, in bounded memory.
#include "server/api/workers/machine_history.hpp"

#include <gtest/gtest.h>

#include "server/limits.hpp"

namespace hone::api {
namespace {

constexpr Instant start{1'800'000'000LL * 1'000'000};

Instant at(std::int64_t s) { return start + seconds(s); }

MachineSamples one(double cpu, Duration age = {}) {
  MachineSample sample;
  sample.age = age;
  sample.cpu = cpu;
  return {2, 1024, {sample}};
}

TEST(MachineHistory, a_point_is_the_mean_of_its_interval) {
  MachineHistory history;
  const WorkerId worker{1};
  history.add(worker, one(0.25), at(0));
  history.add(worker, one(0.75), at(5));
  history.add(worker, one(0.5), at(10));
  const auto past = history.read(worker, at(0), at(10));
  ASSERT_TRUE(past);
  EXPECT_EQ(past->cores, 2);
  ASSERT_EQ(past->points.size(), 2);
  EXPECT_EQ(past->points[0].from, at(0));
  EXPECT_EQ(past->points[0].seconds, 10);
  EXPECT_EQ(past->points[0].cpu, 0.5);
  EXPECT_EQ(past->points[1].cpu, 0.5);
  EXPECT_EQ(past->points[0].memory, std::nullopt) << "not measured is not zero";
}

TEST(MachineHistory, the_age_of_a_sample_is_taken_from_its_arrival) {
  MachineHistory history;
  MachineSamples two = one(0.25, seconds(15));
  two.samples.push_back(one(0.75, seconds(5)).samples.front());
  history.add(WorkerId{1}, two, at(20));
  const auto past = history.read(WorkerId{1}, at(0), at(20));
  ASSERT_EQ(past->points.size(), 2);
  EXPECT_EQ(past->points[0].from, at(0));
  EXPECT_EQ(past->points[1].from, at(10));
  history.add(WorkerId{1}, one(1, seconds(30)), at(30));
  EXPECT_EQ(history.read(WorkerId{1}, at(0), at(30))->points[0].cpu, 0.25) << "it came too late";
  history.add(WorkerId{1}, one(1, Duration{1LL << 60}), at(30));  // before 1970
}

TEST(MachineHistory, older_times_are_kept_in_longer_means_without_overlaps) {
  MachineHistory history;
  const WorkerId worker{1};
  constexpr int day = 86'400, hours = 30 * 3600;
  for (int s = 0; s <= hours; s += 10) history.add(worker, one(s % 20 == 0 ? 0.2 : 0.4), at(s));
  const auto past = history.read(worker, at(0), at(hours));
  ASSERT_TRUE(past);
  EXPECT_LT(past->points.size(), 400);
  EXPECT_EQ(past->points.back().seconds, 10);
  EXPECT_EQ(past->points.front().seconds, 600);
  EXPECT_LT(past->points.front().from, at(hours - day + 1200));
  EXPECT_GE(past->points.front().from, at(hours - day - 1200)) << "no more than a day";
  for (std::size_t i = 1; i < past->points.size(); ++i) {
    const auto& before = past->points[i - 1];
    EXPECT_LE(before.from + seconds(before.seconds), past->points[i].from) << i;
    EXPECT_LE(past->points[i].from - before.from, seconds(1200)) << "a hole at " << i;
  }
  EXPECT_NEAR(past->points.front().cpu.value(), 0.3, 1e-6);
  const auto part = history.read(worker, at(hours - 60), at(hours));
  EXPECT_LE(part->points.size(), 8);
}

TEST(MachineHistory, more_workers_than_are_kept_wait_until_another_is_silent) {
  MachineHistory history;
  const auto most = static_cast<std::int64_t>(limits::machines_kept_max);
  for (std::int64_t id = 1; id <= most; ++id) history.add(WorkerId{id}, one(0.5), at(id % 7));
  const WorkerId late{most + 1};
  history.add(late, one(0.5), at(20));
  EXPECT_FALSE(history.read(late, at(0), at(20)));
  EXPECT_TRUE(history.read(WorkerId{1}, at(0), at(20)));
  history.add(WorkerId{7}, one(0.5), at(700));
  history.add(late, one(0.5), at(701));
  EXPECT_TRUE(history.read(late, at(0), at(701)));
  EXPECT_TRUE(history.read(WorkerId{7}, at(0), at(701))) << "it was heard of since";
  std::int64_t kept = 0;
  for (std::int64_t id = 1; id <= late.value; ++id)
    if (history.read(WorkerId{id}, at(0), at(701))) ++kept;
  EXPECT_EQ(kept, most);
}

}  // namespace
}  // namespace hone::api
