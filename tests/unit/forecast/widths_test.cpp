#include "server/forecast/widths.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hone::forecast {
namespace {

TEST(WidthModel, is_linear_without_a_measurement) {
  for (const int least : {1, 2, 5}) {
    const WidthModel model = fit_widths(least, 8 * least, {});
    for (const int times : {1, 2, 3, 4, 8})
      EXPECT_NEAR(model.ratio(times * least), 1.0 / times, 1e-6) << least << " " << times;
  }
}

// A tenth of the work is not shared: Amdahl's law.
double amdahl(int slots) { return 0.1 + 0.9 / slots; }

TEST(WidthModel, follows_what_was_measured) {
  std::vector<WidthSample> samples;
  for (const int slots : {2, 4}) samples.push_back({slots, amdahl(slots), 50});
  const WidthModel model = fit_widths(1, 8, samples);
  for (const int slots : {2, 3, 4}) EXPECT_NEAR(model.ratio(slots), amdahl(slots), 0.01) << slots;
  EXPECT_NEAR(model.ratio(8), amdahl(8), 0.02) << "by extrapolation";
}

TEST(WidthModel, one_measured_phase_counts_twice_as_much_as_the_assumption) {
  const std::vector<WidthSample> sample{{2, 1.0, 1}};
  EXPECT_NEAR(fit_widths(1, 8, sample).ratio(2), (2 * 1.0 + 0.5) / 3, 0.01);
}

TEST(WidthModel, a_program_that_gains_nothing_is_found_out) {
  const std::vector<WidthSample> sample{{2, 1.0, 8}};
  const WidthModel model = fit_widths(1, 8, sample);
  EXPECT_LT(model.ratio(1) - model.ratio(2), 0.25 * 0.5) << "a quarter of what linear gains";
}

TEST(WidthModel, ignores_what_is_no_measurement) {
  const std::vector<WidthSample> samples{{2, 0, 3}, {4, -1, 3}, {2, 1.0, 0}};
  EXPECT_EQ(fit_widths(1, 4, samples).terms, fit_widths(1, 4, {}).terms);
}

}  // namespace
}  // namespace hone::forecast
