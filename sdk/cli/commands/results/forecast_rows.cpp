#include "sdk/cli/commands/results/forecast_rows.hpp"

#include <nlohmann/json.hpp>

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "server/forecast/end.hpp"

namespace hone::cli {
namespace {

using forecast::CurvePoint;

// The reports of a run by phase, from 1. Empty if one is no number: the run has diverged.
std::vector<CurvePoint> points_of(const Json& run) {
  std::vector<CurvePoint> points;
  for (const Json& report : member(run, "/curve")) {
    const Json& value = member(report, "/value");
    if (!value.is_number()) return {};
    points.push_back({static_cast<double>(points.size() + 1), value.get<double>()});
  }
  return points;
}

}  // namespace

ForecastRows forecast_rows(const std::vector<Json>& runs, const ForecastPlan& plan) {
  ForecastRows out;
  for (const Json& run : runs) {
    const auto points = points_of(run);
    if (points.empty()) continue;
    const bool complete = static_cast<int>(points.size()) >= plan.phases;
    const std::size_t used =
        complete ? forecast::points_used(points.size(), plan.phases, plan.at) : points.size();
    const auto forecast = forecast::forecast_end(std::span(points).first(used), plan.phases,
                                                 {plan.seed, 50, plan.share});
    if (!forecast) {
      ++out.too_few;
      continue;
    }
    const forecast::CurveForecast& end = forecast->end;
    Json row = {{"run", text_at(run, "/run")},
                {"state", text_at(run, "/state")},
                {"reports", used},
                {"of", plan.phases},
                {"family", forecast->family->name},
                {"forecast", end.value},
                {"low", end.low},
                {"high", end.high},
                {"share", plan.share},
                {"value", nullptr},
                {"error", nullptr},
                {"inside", nullptr}};
    if (complete && used < points.size()) {
      const double truth = points.back().value;
      const double error = forecast::end_error(points, end.value);
      const bool inside = end.low <= truth && truth <= end.high;
      row["value"] = truth;
      row["error"] = error;
      row["inside"] = inside;
      out.mean_error += (error - out.mean_error) / ++out.scored;
      out.inside += inside ? 1 : 0;
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace hone::cli
