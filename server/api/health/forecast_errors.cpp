#include "server/api/health/forecast_errors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "db/queries/completed.hpp"
#include "db/queries/queries.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/progress.hpp"
#include "server/forecast/end.hpp"
#include "server/limits.hpp"
#include "server/search/statistics/bootstrap.hpp"

namespace hone::api {
namespace {

constexpr double share_of_run = 0.5;  // as `hone curve --forecast` without --at
// The pace of a sweep counts its age as a second at least: before that it is no forecast.
constexpr Duration sweep_shortest = seconds(2);

std::optional<double> error_of_run(SQLite::Database& db, const CompletedRun& run) {
  const auto curve = read_curve(db, run.run);
  if (!curve) return std::nullopt;
  std::vector<forecast::CurvePoint> points;
  for (const CurveRow& report : *curve) {
    if (!report.value.has_number()) return std::nullopt;
    points.push_back({static_cast<double>(points.size() + 1), report.value.value()});
  }
  return forecast::error_of_end(points, run.phases, share_of_run);
}

std::optional<double> error_of_sweep(SQLite::Database& db, SweepId id) {
  const auto sweep = find_sweep(db, id);
  if (!sweep || !sweep->ended_at) return std::nullopt;
  const auto spec = spec_of(*sweep);
  const Duration whole = *sweep->ended_at - sweep->submitted_at;
  if (!spec || whole < sweep_shortest) return std::nullopt;
  const Instant half = sweep->submitted_at + Duration{whole.us / 2};
  const auto end = forecast_end_at(db, *sweep, *spec, half);
  if (!end) return std::nullopt;
  const auto left = static_cast<double>((*sweep->ended_at - half).us) / 1e6;
  return std::abs(end->seconds - left) / (static_cast<double>(whole.us) / 1e6);
}

// Of ids that are known already, keeps the error; drops those that are not among `ids`.
template <class Id, class Compute>
ForecastError error_over(std::string_view kind, const std::vector<Id>& ids,
                         std::map<Id, std::optional<double>>& known, const Compute& compute) {
  std::map<Id, std::optional<double>> kept;
  std::vector<double> errors;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = known.find(ids[i]);
    const auto error = found != known.end() ? found->second : compute(i);
    kept.emplace(ids[i], error);
    if (error) errors.push_back(*error);
  }
  known = std::move(kept);
  ForecastError result{kind, static_cast<std::int64_t>(errors.size())};
  if (errors.empty()) return result;
  std::ranges::sort(errors);
  result.median = quantile_of(errors, 0.5);
  return result;
}

}  // namespace

std::array<ForecastError, 2> ForecastErrors::read(SQLite::Database& db) {
  const std::lock_guard lock(mutex_);
  const auto runs = newest_completed_runs(
      db, {limits::scored_attempts_max, limits::scored_runs_max, forecast::end_points_min + 1});
  const auto sweeps =
      newest_completed_sweeps(db, {limits::scored_sweeps_scanned_max, limits::scored_sweeps_max,
                                   limits::scored_sweep_reports_max});
  std::vector<RunId> ids;
  for (const CompletedRun& run : runs) ids.push_back(run.run);
  return {
      error_over("run_value", ids, runs_, [&](std::size_t i) { return error_of_run(db, runs[i]); }),
      error_over("sweep_end", sweeps, sweeps_,
                 [&](std::size_t i) { return error_of_sweep(db, sweeps[i]); })};
}

}  // namespace hone::api
