// The numbers were computed by an independent program from the formulas of parzen.hpp.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "server/search/samplers/tpe/exp.hpp"
#include "server/search/samplers/tpe/parzen.hpp"

namespace hone {
namespace {

constexpr double tolerance = 1e-9;

const Space parameters{
    {"a", FloatDomain{0, 1, Scale::linear, {}, {}}, ""},
    {"b", IntDomain{1, 5, Scale::linear, 1, {}}, ""},
    {"c", ChoiceDomain{{std::string("x"), std::string("y"), std::string("z")}, false, {1, 1, 2}},
     ""},
    {"d", FloatDomain{0, 1, Scale::linear, {}, {}}, "c == 'z'"},
};

class Parzen : public testing::Test {
 protected:
  [[nodiscard]] ParzenEstimator estimator(const ParzenOptions& options) const {
    const std::vector<std::span<const double>> points(points_.begin(), points_.end());
    return {space_, points, std::array{1.0, 2.0, 1.0}, options};
  }

  SearchSpace space_ = std::move(SearchSpace::make(parameters, {})).value();
  std::vector<Point> points_{{0.2, 0.1, 0, inactive}, {0.9, 0.5, 2, 0.75}, {0.4, 0.3, 2, 0.5}};
};

TEST_F(Parzen, densities_over_a_conditional_space_are_those_of_the_formula) {
  const auto made = estimator({0.2, 0.01, 1, false, false});
  EXPECT_NEAR(made.bandwidths()[0], 0.174337108574347, tolerance);
  EXPECT_NEAR(made.bandwidths()[2], 0.240822468528069, tolerance);
  EXPECT_NEAR(made.bandwidths()[3], 0.183400808640934, tolerance);
  EXPECT_NEAR(made.log_density(Point{0.25, 0.3, 0, inactive}), -0.252935744787463, tolerance);
  EXPECT_NEAR(made.log_density(Point{0.85, 0.5, 2, 0.7}), 1.75851087766239, tolerance);
  EXPECT_NEAR(made.log_density(Point{0.01, 0.9, 1, 0.02}), -2.99568171441805, tolerance);
}

TEST_F(Parzen, densities_with_adaptive_bandwidths_are_those_of_the_formula) {
  const auto made = estimator({0.2, 0.01, 0.5, true, false});
  EXPECT_NEAR(made.bandwidths()[0], 0.177300557796521, tolerance);
  EXPECT_NEAR(made.bandwidths()[1], 0.112598406537892, tolerance);
  EXPECT_NEAR(made.bandwidths()[3], 0.108501381620475, tolerance);
  EXPECT_NEAR(made.log_density(Point{0.25, 0.3, 0, inactive}), -0.671620185028421, tolerance);
  EXPECT_NEAR(made.log_density(Point{0.85, 0.5, 2, 0.7}), 2.64548347975368, tolerance);
  EXPECT_NEAR(made.log_density(Point{0.01, 0.9, 1, 0.02}), -3.58351893837366, tolerance);
}

TEST_F(Parzen, improvement_ratios_are_differences_of_log_densities) {
  const auto bad = estimator({0.2, 0.01, 1, false, false});
  const auto good = estimator({0.2, 0.01, 0.5, true, false});
  const Point point{0.85, 0.5, 2, 0.7};
  EXPECT_NEAR(good.log_density(point) - bad.log_density(point), 0.88697260209129, tolerance);
}

TEST_F(Parzen, densities_of_one_dimension_are_those_of_the_formula) {
  const auto made = estimator({0.2, 0.01, 1, false, false});
  EXPECT_NEAR(made.log_density(0, 0.33), 0.0290511650943411, tolerance);
  EXPECT_NEAR(made.log_density(2, 1), -2.32111070023028, tolerance);
  EXPECT_NEAR(made.log_density(3, 0.6), 0.377783488983073, tolerance);
  const auto adaptive = estimator({0.2, 0.01, 0.5, true, false});
  EXPECT_NEAR(adaptive.log_density(0, 0.33), 0.0261757174109381, tolerance);
  EXPECT_NEAR(adaptive.log_density(2, 1), -2.50968451870253, tolerance);
}

TEST_F(Parzen, a_density_integrates_to_one) {
  const auto made = estimator({0.2, 0.01, 1, true, false});
  constexpr int steps = 2000;
  double sum = 0;
  for (int i = 0; i < steps; ++i) sum += std::exp(made.log_density(0, (i + 0.5) / steps)) / steps;
  EXPECT_NEAR(sum, 1, 1e-6);
  double choices = 0;
  for (int i = 0; i < 3; ++i) choices += std::exp(made.log_density(2, i));
  EXPECT_NEAR(choices, 1, tolerance);
}

TEST_F(Parzen, draws_follow_the_density) {
  const auto made = estimator({0.2, 0.01, 1, false, false});
  Rng rng(7, Purpose::propose, 0);
  constexpr int draws = 200'000;
  std::array<double, 3> counts{};
  double mean = 0;
  Point point(4);
  for (int i = 0; i < draws; ++i) {
    made.draw(rng, true, point);
    counts.at(static_cast<std::size_t>(point[2])) += 1.0 / draws;
    mean += point[0] / draws;
    ASSERT_TRUE(point[0] >= 0 && point[0] <= 1);
  }
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(counts.at(i), std::exp(made.log_density(2, static_cast<double>(i))), 0.005);
  double expected = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = (i + 0.5) / 1000;
    expected += x * std::exp(made.log_density(0, x)) / 1000;
  }
  EXPECT_NEAR(mean, expected, 0.005);
}

TEST(FastExp, agrees_with_exp) {
  for (double x = -700; x <= 0; x += 0.0917) ASSERT_NEAR(fast_exp(x) / std::exp(x), 1, 1e-11) << x;
  EXPECT_EQ(fast_exp(-1e9), fast_exp(-700.0));
  for (float x = -87; x <= 0; x += 0.0917F) ASSERT_NEAR(fast_exp(x) / std::exp(x), 1, 1e-6) << x;
}

}  // namespace
}  // namespace hone
