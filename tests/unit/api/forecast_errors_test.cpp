// hone_forecast_error of GET /metrics.
#include "server/api/health/forecast_errors.hpp"

#include <cmath>

#include "base/text.hpp"
#include "server/forecast/end.hpp"
#include "tests/unit/api/given.hpp"

namespace hone::api {
namespace {

constexpr int phases = 20;

double value_at(int phase, double time) { return 100 - 80 * std::exp(-(phase + 1) / time); }

// Trains a sweep of so many runs, one after the other, of curves with these times.
void train(TestApi& server, const std::vector<double>& times) {
  auto spec = small_spec("none", static_cast<int>(times.size()));
  spec["budget"] = {{"unit", "frames"}, {"per_run", 250 * phases}, {"phases", phases}};
  server.submit(spec);
  const auto worker = server.join();
  for (const double time : times) {
    const auto grant = server.acquire(worker);
    for (int phase = 0; phase < phases; ++phase) {
      server.pass(milliseconds(500));  // a lease lasts 15 s
      server.report(grant, phase, value_at(phase, time));
    }
    server.end(grant, {{"reason", "budget_reached"}});
  }
}

double expected_error(double time) {
  std::vector<forecast::CurvePoint> points;
  for (int phase = 0; phase < phases; ++phase)
    points.push_back({phase + 1.0, value_at(phase, time)});
  return *forecast::error_of_end(points, phases, 0.5);
}

std::string sample(double value) {
  return "hone_forecast_error{kind=\"run_value\"} " + plain_number_text(value) + "\n";
}

TEST(ForecastErrors, a_run_counts_once_it_is_complete) {
  TestApi server;
  const auto before = server.ask("GET", "/metrics").body;
  EXPECT_NE(before.find("hone_forecasts_scored{kind=\"run_value\"} 0\n"), std::string::npos);
  EXPECT_EQ(before.find("hone_forecast_error{"), std::string::npos) << before;
  train(server, {6, 40, 15});
  const auto text = server.ask("GET", "/metrics").body;
  EXPECT_NE(text.find("hone_forecasts_scored{kind=\"run_value\"} 3\n"), std::string::npos) << text;
  std::array errors{expected_error(6), expected_error(40), expected_error(15)};
  std::ranges::sort(errors);
  ASSERT_LT(errors[0], errors[1]);
  ASSERT_LT(errors[1], errors[2]);
  EXPECT_NE(text.find(sample(errors[1])), std::string::npos) << sample(errors[1]) << text;
}

TEST(ForecastErrors, a_sweep_of_even_pace_is_forecast_at_its_half) {
  TestApi server;
  train(server, {6, 40, 15, 20});
  const auto [runs, sweeps] = ForecastErrors().read(server.db());
  EXPECT_EQ(sweeps.kind, "sweep_end");
  EXPECT_EQ(sweeps.scored, 1);
  ASSERT_TRUE(sweeps.median);
  EXPECT_LT(*sweeps.median, 0.2);  // of the whole time
  EXPECT_EQ(runs.scored, 4);
}

TEST(ForecastErrors, what_was_computed_is_kept_and_new_runs_are_added) {
  TestApi server;
  ForecastErrors errors;
  train(server, {6});
  const auto first = errors.read(server.db());
  EXPECT_EQ(first[0].scored, 1);
  train(server, {40, 40});
  const auto second = errors.read(server.db());
  EXPECT_EQ(second[0].scored, 3);
  EXPECT_EQ(second[1].scored, 2);
  EXPECT_EQ(second[0].median, expected_error(40));
  EXPECT_EQ(second[0].median, ForecastErrors().read(server.db())[0].median);
  EXPECT_EQ(second[1].median, ForecastErrors().read(server.db())[1].median);
}

TEST(ForecastErrors, runs_with_few_reports_are_left_out) {
  TestApi server;
  server.submit(small_spec("none", 1));
  const auto grant = server.acquire(server.join());
  for (int phase = 0; phase < 4; ++phase) server.report(grant, phase, phase);
  server.end(grant, {{"reason", "budget_reached"}});
  const auto errors = ForecastErrors().read(server.db());
  EXPECT_EQ(errors[0].scored, 0);
  EXPECT_FALSE(errors[0].median);
}

}  // namespace
}  // namespace hone::api
