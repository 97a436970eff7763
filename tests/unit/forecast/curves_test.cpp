#include "server/forecast/curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"

namespace hone::forecast {
namespace {

constexpr std::array<double, 3> seq2seq{0.21, 1.07, 0.07};  // Optimus, section 3.1

const CurveFamily& inverse() { return *find_curve_family("inverse"); }

// The losses of the first epochs of Optimus' example: with noise, and some points 1.5 times too
// high.
std::vector<CurvePoint> losses(int epochs, double noise, std::uint64_t seed) {
  Rng rng(seed, Purpose::simulation, 0);
  std::vector<CurvePoint> points;
  for (int k = 0; k < epochs; ++k) {
    const double outlier = noise > 0 && rng.uniform() < 0.03 ? 1.5 : 1;
    points.push_back(
        {static_cast<double>(k), inverse().at(seq2seq, k) * outlier * (1 + noise * rng.normal())});
  }
  return points;
}

// |predicted - true| / true of the epochs until convergence, the median of 60 seeds.
double median_error(int epochs, double noise) {
  const ConvergenceRule rule{0.002, 3, 10'000};
  CurveFit truth{&inverse(), seq2seq};
  const double end = *converged_at(truth, rule);
  std::vector<double> errors;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto fit = fit_curve(inverse(), losses(epochs, noise, seed));
    const auto predicted = fit ? converged_at(*fit, rule) : std::nullopt;
    errors.push_back(predicted ? std::abs(*predicted - end) / end : 1);
  }
  std::nth_element(errors.begin(), errors.begin() + 30, errors.end());
  return errors[30];
}

TEST(Curves, losses_without_noise_give_the_coefficients_back) {
  const auto fit = fit_curve(inverse(), losses(20, 0, 0));
  ASSERT_TRUE(fit);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(fit->parameters[j], seq2seq[j], 1e-3) << j;
  EXPECT_LT(fit->error, 1e-6);
}

TEST(Curves, a_fifth_of_a_loss_curve_forecasts_its_end_within_a_tenth) {
  const CurveFit truth{&inverse(), seq2seq};
  EXPECT_EQ(converged_at(truth, {0.002, 3, 10'000}), 47);
  EXPECT_LE(median_error(10, 0.005), 0.10);
  EXPECT_LE(median_error(10, 0.01), 0.10);
  EXPECT_LE(median_error(24, 0.03), 0.10);
  EXPECT_LE(median_error(42, 0.01), 0.05);
}

TEST(Curves, an_outlier_becomes_the_mean_of_its_neighbours) {
  auto points = losses(12, 0, 0);
  const double before = points[5].value;
  points[6].value *= 3;
  const auto clean = without_outliers(points);
  EXPECT_DOUBLE_EQ(clean[6].value, (before + points[7].value) / 2);
  EXPECT_EQ(clean[0].value, points[0].value);
  EXPECT_EQ(clean[11].value, points[11].value);
}

TEST(Curves, the_unit_of_the_loss_scales_the_forecast) {
  auto points = losses(15, 0.01, 4);
  const auto fit = fit_curve(inverse(), points);
  for (CurvePoint& point : points) point.value *= 1000;
  const auto scaled = fit_curve(inverse(), points);
  ASSERT_TRUE(fit && scaled);
  EXPECT_NEAR(scaled->at(100), 1000 * fit->at(100), 1e-3 * scaled->at(100));
}

TEST(Curves, returns_are_forecast_by_a_saturating_family) {
  for (const char* name : {"exponential", "power"}) {
    const CurveFamily& family = *find_curve_family(name);
    const std::array<double, 3> truth{500, 480, name == std::string_view("power") ? 1.2 : 400.0};
    std::vector<CurvePoint> points;
    for (int k = 0; k < 40; ++k) points.push_back({20.0 * k, family.at(truth, 20.0 * k)});
    const auto fit = fit_curve(family, points);
    ASSERT_TRUE(fit) << name;
    EXPECT_NEAR(fit->at(2000), family.at(truth, 2000), 1) << name;
  }
}

TEST(Curves, refuse_what_is_no_curve) {
  EXPECT_FALSE(fit_curve(inverse(), losses(2, 0, 0)));
  EXPECT_FALSE(fit_curve(inverse(), std::vector<CurvePoint>{{0, -1}, {1, -2}, {2, -3}}));
  EXPECT_FALSE(fit_curve(inverse(), std::vector<CurvePoint>{{0, 3}, {0, 2}, {1, 1}}));
  EXPECT_FALSE(fit_curve(inverse(), std::vector<CurvePoint>{{0, 3}, {1, NAN}, {2, 1}}));
  for (const CurveFamily& family : curve_families()) {
    const auto fit = fit_curve(family, std::vector<CurvePoint>{{0, 2}, {1, 2}, {2, 2}, {3, 2}});
    ASSERT_TRUE(fit) << family.name;
    EXPECT_NEAR(fit->at(10), 2, 1e-6) << family.name;
  }
}

// Of 100 curves, the interval of 80 % must hold the next measurement in most, and not in all.
TEST(Curves, intervals_hold_their_share_of_measurements) {
  const CurveFamily& family = *find_curve_family("exponential");
  const std::array<double, 3> truth{500, 480, 20};
  int held = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed, Purpose::simulation, 1);
    std::vector<CurvePoint> points;
    for (int k = 0; k < 40; ++k)
      points.push_back({static_cast<double>(k), family.at(truth, k) + 15 * rng.normal()});
    const auto forecast = forecast_curve(family, points, 60, {seed, 30, 0.8});
    ASSERT_TRUE(forecast);
    EXPECT_LE(forecast->low, forecast->high);
    const double measured = family.at(truth, 60) + 15 * rng.normal();
    held += forecast->low <= measured && measured <= forecast->high ? 1 : 0;
  }
  EXPECT_GE(held, 70);
  EXPECT_LE(held, 93);
}

TEST(Curves, the_same_seed_forecasts_the_same) {
  const auto points = losses(20, 0.02, 9);
  const auto one = forecast_curve(inverse(), points, 50, {1, 20, 0.8});
  const auto two = forecast_curve(inverse(), points, 50, {1, 20, 0.8});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->low, two->low);
  EXPECT_EQ(one->high, two->high);
  EXPECT_EQ(one->deviation, two->deviation);
}

}  // namespace
}  // namespace hone::forecast
