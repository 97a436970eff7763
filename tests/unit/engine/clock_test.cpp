// The server's time when the wall clock is set.
#include "server/engine/clock.hpp"

#include <gtest/gtest.h>

#include "server/engine/epoch.hpp"

namespace hone {
namespace {

constexpr Instant noon{1'700'000'000'000'000};

struct SlewedClockTest : testing::Test {
  Instant wall = noon;
  Instant ticks{5};
  SlewedClock clock{[this] { return wall; }, [this] { return ticks; }, {}};

  // What the server's clock says after so much time, in which the wall clock goes right.
  Duration passes(Duration real) {
    const Instant before = clock();
    wall = wall + real, ticks = ticks + real;
    return clock() - before;
  }
};

TEST_F(SlewedClockTest, FollowsAWallClockThatGoesRight) {
  EXPECT_EQ(clock(), noon);
  EXPECT_EQ(passes(seconds(10)), seconds(10));
  EXPECT_EQ(clock(), noon + seconds(10));
}

TEST_F(SlewedClockTest, DoesNotExpireALeaseWhenTheWallClockIsSetForwards) {
  wall = wall + seconds(3600);
  EXPECT_EQ(passes({}), Duration{});
  EXPECT_EQ(passes(seconds(10)), seconds(15)) << "half as fast again";
  EXPECT_EQ(passes(seconds(7190)), seconds(10'785));
  EXPECT_EQ(clock(), wall) << "caught up after twice the step";
  EXPECT_EQ(passes(seconds(10)), seconds(10));
}

TEST_F(SlewedClockTest, GoesOnWhenTheWallClockIsSetBack) {
  wall = wall - seconds(3600);
  EXPECT_EQ(passes({}), Duration{}) << "never backwards";
  EXPECT_EQ(passes(seconds(10)), seconds(5)) << "a lease that is not renewed still ends";
  EXPECT_EQ(passes(seconds(7190)), seconds(3595));
  EXPECT_EQ(clock(), wall);
}

// The engine never stamps an event before the newest one: without the floor its time would stand
// still until the wall clock has caught up, and no lease would end.
TEST_F(SlewedClockTest, StartsBehindTheLedgerAndRunsOn) {
  const Instant newest = noon + seconds(3600);
  SlewedClock late{[this] { return wall; }, [this] { return ticks; }, newest};
  EXPECT_EQ(late(), newest);
  wall = wall + seconds(10), ticks = ticks + seconds(10);
  EXPECT_EQ(late(), newest + seconds(5));
}

TEST(DrawnEpoch, leaves_a_thousand_million_leases_between_starts_in_different_seconds) {
  const auto all_bits = ~std::uint64_t{0};
  const Epoch early = draw_epoch(noon, all_bits);
  const Epoch late = draw_epoch(noon + seconds(1), 0);
  EXPECT_GT(late.value - early.value, 1'000'000'000);
}

TEST(DrawnEpoch, differs_by_its_random_bits_within_one_second) {
  EXPECT_NE(draw_epoch(noon, 1), draw_epoch(noon, 2));
  EXPECT_EQ(draw_epoch(noon, 1), draw_epoch(noon + milliseconds(999), 1));
}

TEST(DrawnEpoch, is_a_number_whatever_the_clock) {
  for (const Instant at : {Instant{-1}, Instant{0}, Instant{std::int64_t{1} << 62U}, never})
    EXPECT_GT(draw_epoch(at, 0).value, 0);
}

}  // namespace
}  // namespace hone
