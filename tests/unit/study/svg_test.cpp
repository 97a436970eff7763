// The axes and marks of figures.
#include "study/report/svg.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::study {
namespace {

TEST(StudySvg, ticks_are_few_and_lie_within_their_axis) {
  const double spans[][2] = {{0, 1},     {-21, -18.5},      {3.2, 3.9},      {1e-12, 3e-12},
                             {0, 1e300}, {-1e-300, 1e-300}, {-1e307, 1e307}, {0.1, 0.1000001}};
  for (const auto& [low, high] : spans) {
    const Axis axis{low, high};
    const auto ticks = axis.ticks();
    EXPECT_GE(ticks.size(), 2U) << low;
    EXPECT_LE(ticks.size(), 6U) << low;
    for (const double tick : ticks) {
      EXPECT_GE(axis.share(tick), -1e-6) << low;
      EXPECT_LE(axis.share(tick), 1 + 1e-6) << low;
    }
  }
}

// A count beyond 2^53 stays the same when one is added.
TEST(StudySvg, an_axis_of_few_trials_had_ticks_between_them) {
  for (const double high : {2.0, 3.0, 4.0, 24.0}) {
    const auto ticks = Axis{1, high, false, true}.ticks();
    EXPECT_GE(ticks.size(), 2U) << high;
    for (const double tick : ticks) EXPECT_EQ(tick, std::floor(tick)) << high;
  }
  EXPECT_EQ((Axis{0.5, 1.5, false, true}).ticks(), std::vector<double>{1});
}

TEST(StudySvg, an_axis_of_two_huge_neighbours_had_ticks_without_an_end) {
  EXPECT_LE((Axis{1e16, 1e16 + 4}).ticks().size(), 6U);
  EXPECT_LE((Axis{9e18, 9e18 + 2048}).ticks().size(), 6U);
}

TEST(StudySvg, a_logarithmic_axis_has_powers_of_ten) {
  const Axis axis{1e-5, 1e-2, true};
  const auto ticks = axis.ticks();
  ASSERT_EQ(ticks.size(), 4U);
  EXPECT_NEAR(ticks.front(), 1e-5, 1e-12);
  EXPECT_NEAR(axis.share(ticks[1]) - axis.share(ticks[0]),
              axis.share(ticks[3]) - axis.share(ticks[2]), 1e-9);
  EXPECT_EQ((Axis{2, 7, true}).ticks(), (std::vector<double>{2, 7}));
}

TEST(StudySvg, one_value_lies_in_the_middle_of_its_axis) {
  EXPECT_NEAR(axis_over({3}).share(3), 0.5, 1e-12);
  EXPECT_NEAR(axis_over({0.01, 0.01}, true).share(0.01), 0.5, 1e-12);
  EXPECT_NEAR(axis_over({0}).share(0), 0.5, 1e-12);
  EXPECT_NEAR(axis_over({-1.7e308, 1.7e308}).share(0), 0.5, 1e-12);
  // Their quotient overflows.
  EXPECT_NEAR(axis_over({1e-308, 1.7e308}, true).share(1), 0.5, 0.01);
  EXPECT_NEAR(axis_over({5e-324}, true).share(5e-324), 0.5, 0.5);
}

TEST(StudySvg, names_have_no_markup) {
  EXPECT_NE(svg_label(0, 0, "<b>&\"").find(">&lt;b&gt;&amp;&quot;</text>"), std::string::npos);
}

TEST(StudySvg, a_curve_has_a_band_where_its_edges_are_finite) {
  const Frame frame;
  EXPECT_NE(svg_curve(frame, {"a", {0, 1}, {0, 1}, {0, 0.5}, {0.2, 1}}, 0).find("fill-opacity"),
            std::string::npos);
  EXPECT_EQ(svg_curve(frame, {"a", {0, 1}, {0, 1}, {0, NAN}, {0.2, 1}}, 0).find("fill-opacity"),
            std::string::npos);
}

}  // namespace
}  // namespace hone::study
