// What hone bench load counts with.
#include <gtest/gtest.h>

#include "bench/load/wire.hpp"
#include "sdk/cli/local/histogram.hpp"

namespace hone::load {
namespace {

TEST(Histogram, keeps_quantiles_to_a_small_error) {
  Histogram times;
  EXPECT_EQ(times.quantile_ms(0.5), 0);
  for (int us = 1; us <= 100'000; ++us) times.add(us);
  EXPECT_EQ(times.count(), 100'000U);
  EXPECT_NEAR(times.quantile_ms(0.5), 50, 0.8);
  EXPECT_NEAR(times.quantile_ms(0.99), 99, 1.6);
  EXPECT_EQ(times.quantile_ms(1), 100);
  EXPECT_EQ(times.max_ms(), 100);
}

TEST(Histogram, never_answers_less_than_what_was_measured) {
  for (const std::int64_t us : {0L, 1L, 127L, 128L, 129L, 4095L, 1'000'003L, 59'999'999L}) {
    Histogram times;
    times.add(us);
    times.add(us * 2 + 1);
    EXPECT_GE(times.quantile_ms(0.5) * 1e3 + 1e-6, static_cast<double>(us));
    EXPECT_LE(times.quantile_ms(0.5) * 1e3, static_cast<double>(us) * 1.017 + 1);
  }
}

TEST(Histogram, keeps_what_is_longer_than_its_last_slot) {
  Histogram times, others;
  others.add(1'000'000'000'000);
  times.add(5);
  times.add(others);
  EXPECT_EQ(times.count(), 2U);
  EXPECT_EQ(times.max_ms(), 1e9);
}

TEST(Member, finds_texts_and_numbers) {
  constexpr std::string_view json =
      R"({"trial":"tr_3","number":17,"params":{"lr":0.5},"last":true})";
  EXPECT_EQ(member(json, "trial"), "tr_3");
  EXPECT_EQ(member(json, "number"), "17");
  EXPECT_EQ(member(json, "last"), "true");
  EXPECT_EQ(member(json, "lease"), "");
}

}  // namespace
}  // namespace hone::load
