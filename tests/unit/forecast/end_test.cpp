#include "server/forecast/end.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.hpp"

namespace hone::forecast {
namespace {

template <class At>
std::vector<CurvePoint> points_of(int count, double noise, std::uint64_t seed, const At& at) {
  Rng rng(seed, Purpose::simulation, 0);
  std::vector<CurvePoint> points;
  for (int i = 1; i <= count; ++i)
    points.push_back({static_cast<double>(i), at(i) + noise * rng.normal()});
  return points;
}

double rising(int k) { return 100 - 80 * std::exp(-k / 8.0); }
double falling(int k) { return 1 / (0.21 * k + 1.07) + 0.07; }

TEST(ForecastEnd, chooses_a_family_by_the_last_quarter) {
  const auto rise = forecast_end(points_of(16, 0, 1, rising), 40, {});
  ASSERT_TRUE(rise);
  EXPECT_EQ(rise->family->name, "exponential");
  EXPECT_NEAR(rise->end.value, rising(40), 0.5);
  const auto fall = forecast_end(points_of(16, 0, 1, falling), 40, {});
  ASSERT_TRUE(fall);
  EXPECT_EQ(fall->family->name, "inverse");
  EXPECT_NEAR(fall->end.value, falling(40), 0.005);
}

TEST(ForecastEnd, forecasts_nothing_from_few_points) {
  EXPECT_FALSE(forecast_end(points_of(end_points_min - 1, 0, 1, rising), 40, {}));
  EXPECT_TRUE(forecast_end(points_of(end_points_min, 0, 1, rising), 40, {}));
}

TEST(ForecastEnd, the_value_alone_is_that_with_an_interval) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto points = points_of(12, 3, seed, rising);
    const auto whole = forecast_end(points, 40, {});
    const auto value = forecast_end_value(points, 40);
    ASSERT_TRUE(whole && value);
    EXPECT_EQ(whole->end.value, *value);
  }
}

TEST(ForecastEnd, a_complete_run_is_scored_on_the_part_that_the_forecast_did_not_get) {
  const auto points = points_of(40, 0, 1, rising);
  const auto value = forecast_end_value(std::span(points).first(20), 40);
  ASSERT_TRUE(value);
  EXPECT_EQ(error_of_end(points, 40, 0.5), end_error(points, *value));
  EXPECT_DOUBLE_EQ(end_error(points, rising(40) - 0.1 * (rising(40) - rising(1))), 0.1);
  EXPECT_FALSE(error_of_end(std::span(points).first(end_points_min), 8, 0.5));
}

TEST(ForecastEnd, noisy_curves_end_within_their_interval_more_often_than_not) {
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto forecast = forecast_end(points_of(20, 2, seed, rising), 40, {seed, 50, 0.8});
    ASSERT_TRUE(forecast);
    EXPECT_LE(forecast->end.low, forecast->end.high);
    inside += forecast->end.low <= rising(40) && rising(40) <= forecast->end.high ? 1 : 0;
  }
  EXPECT_GE(inside, 36);
}

}  // namespace
}  // namespace hone::forecast
