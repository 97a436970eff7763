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
