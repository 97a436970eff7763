// The rows of `hone curve --forecast`.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/results/forecast_rows.hpp"

namespace hone::cli {
namespace {

Json run_of(const std::string& id, int reports) {
  Json run{{"run", id}, {"state", "running"}, {"curve", Json::array()}};
  for (int k = 1; k <= reports; ++k)
    run["curve"].push_back({{"value", 100 - 80 * std::exp(-k / 6.0)}});
  return run;
}

TEST(ForecastRows, a_complete_run_is_forecast_from_its_first_part_and_scored) {
  const ForecastRows rows = forecast_rows({run_of("rn_1.0", 20)}, {20, 0.5, 0.8, 1});
  ASSERT_EQ(rows.rows.size(), 1U);
  EXPECT_EQ(rows.rows[0]["reports"], 10);
  EXPECT_EQ(rows.rows[0]["family"], "exponential");
  EXPECT_NEAR(rows.rows[0]["value"].get<double>(), 100 - 80 * std::exp(-20 / 6.0), 1e-9);
  EXPECT_EQ(rows.scored, 1);
  EXPECT_LT(rows.mean_error, 0.02);
}

TEST(ForecastRows, a_complete_run_of_few_phases_is_forecast_from_as_many_as_a_forecast_needs) {
  const ForecastRows nine = forecast_rows({run_of("rn_1.0", 9)}, {9, 0.5, 0.8, 1});
  ASSERT_EQ(nine.rows.size(), 1U);
  EXPECT_EQ(nine.rows[0]["reports"], 8);
  EXPECT_EQ(nine.scored, 1);
  const ForecastRows most = forecast_rows({run_of("rn_1.0", 10)}, {10, 0.95, 0.8, 1});
  EXPECT_EQ(most.rows.at(0)["reports"], 9);
  EXPECT_EQ(most.scored, 1);
  const ForecastRows eight = forecast_rows({run_of("rn_1.0", 8)}, {8, 0.5, 0.8, 1});
  EXPECT_TRUE(eight.rows.empty());  // nothing would be left to compare with
  EXPECT_EQ(eight.too_few, 1);
}

TEST(ForecastRows, a_run_that_trains_is_forecast_from_all_reports_without_a_score) {
  const ForecastRows rows = forecast_rows({run_of("rn_1.0", 12)}, {20, 0.5, 0.8, 1});
  ASSERT_EQ(rows.rows.size(), 1U);
  EXPECT_EQ(rows.rows[0]["reports"], 12);
  EXPECT_TRUE(rows.rows[0]["value"].is_null());
  EXPECT_LE(rows.rows[0]["low"], rows.rows[0]["high"]);
  EXPECT_EQ(rows.scored, 0);
}

TEST(ForecastRows, few_reports_are_counted_and_diverged_runs_left_out) {
  Json diverged = run_of("rn_3.0", 12);
  diverged["curve"].push_back({{"value", "diverged"}});
  const ForecastRows rows = forecast_rows({run_of("rn_2.0", 7), diverged}, {20, 0.5, 0.8, 1});
  EXPECT_TRUE(rows.rows.empty());
  EXPECT_EQ(rows.too_few, 1);
}

}  // namespace
}  // namespace hone::cli
