#include "server/api/rates.hpp"

#include <gtest/gtest.h>

namespace hone::api {
namespace {

constexpr Instant start{1'000'000'000};

int let_through(Rates& rates, const std::string& who, Instant now, int tries) {
  int through = 0;
  for (int i = 0; i < tries; ++i) through += rates.take(who, now) ? 0 : 1;
  return through;
}

TEST(Rates, LetABurstThroughAndThenTheRate) {
  Rates rates(10, 5, 100);
  EXPECT_EQ(let_through(rates, "a", start, 100), 5);
  EXPECT_EQ(let_through(rates, "a", start + milliseconds(100), 100), 1);
  EXPECT_EQ(let_through(rates, "a", start + milliseconds(400), 100), 3);
  EXPECT_EQ(let_through(rates, "a", start + seconds(100), 100), 5)
      << "no more than a burst is saved";
}

TEST(Rates, SayHowLongToWait) {
  Rates rates(10, 1, 100);
  EXPECT_FALSE(rates.take("a", start));
  const auto wait = rates.take("a", start);
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->us, 100'000);
  EXPECT_FALSE(rates.take("a", start + *wait)) << "a client that waits gets through";
}

TEST(Rates, DoNotPunishWhoKeepsAsking) {
  Rates rates(10, 1, 100);
  EXPECT_EQ(let_through(rates, "a", start, 1000), 1);
  EXPECT_EQ(let_through(rates, "a", start + milliseconds(100), 1), 1);
}

TEST(Rates, CountEachApart) {
  Rates rates(10, 5, 100);
  EXPECT_EQ(let_through(rates, "a", start, 100), 5);
  EXPECT_EQ(let_through(rates, "b", start, 100), 5);
}

TEST(Rates, StayBoundedAndLetNewcomersShareWhenThereAreTooMany) {
  Rates rates(10, 5, 10);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(rates.take("known " + std::to_string(i), start));
  int through = 0;
  for (int i = 0; i < 1000; ++i) through += rates.take("new " + std::to_string(i), start) ? 0 : 1;
  EXPECT_EQ(through, 5);
  EXPECT_LE(rates.size(), 11U);
  EXPECT_EQ(let_through(rates, "known 3", start, 100), 4) << "known keys keep their own bucket";
  EXPECT_FALSE(rates.take("later", start + seconds(10))) << "full buckets are forgotten";
  EXPECT_LE(rates.size(), 11U);
}

TEST(Rates, SurviveAClockThatGoesBack) {
  Rates rates(10, 2, 10);
  EXPECT_EQ(let_through(rates, "a", start, 10), 2);
  EXPECT_EQ(let_through(rates, "a", start - seconds(5), 10), 0);
  EXPECT_EQ(let_through(rates, "a", start + seconds(1), 10), 2);
}

}  // namespace
}  // namespace hone::api
