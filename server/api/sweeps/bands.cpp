// Learning curves of a trial, aggregated over its seeds.
#include <algorithm>
#include <cmath>
#include <map>

#include "db/queries/queries.hpp"
#include "schemas/types/aggregate.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/replicates.hpp"
#include "server/limits.hpp"
#include "server/search/statistics/intervals.hpp"

namespace hone::api {
namespace {

struct Point {
  std::int64_t step = 0;
  std::vector<double> values;  // of the runs that reported a number there
  int diverged = 0;
};

Result<std::map<int, Point>> points_of(SQLite::Database& db, TrialId trial) {
  std::map<int, Point> points;
  PageQuery query{limits::page_items_max, {}};
  while (true) {
    const auto page = list_runs(db, trial, query);
    if (!page) return page.error();
    for (const RunRow& run : page->items) {
      const auto curve = read_curve(db, run.id);
      if (!curve) return curve.error();
      for (const CurveRow& row : *curve) {
        Point& point = points[row.phase];
        point.step = std::max(point.step, row.step);
        if (row.value.is_diverged())
          ++point.diverged;
        else
          point.values.push_back(row.value.value());
      }
    }
    if (!page->next) return points;
    query.after = *page->next;
  }
}

Json point_json(int phase, const Point& point, const PooledSpread& pooled) {
  Json json;
  json["phase"] = phase;
  json["step"] = point.step;
  json["n"] = point.values.size();
  json["diverged"] = point.diverged;
  json["mean"] = json["iqm"] = json["low"] = json["high"] = json["min"] = json["max"] = nullptr;
  if (point.values.empty()) return json;
  json["mean"] = mean_of(point.values);
  json["iqm"] = iqm_of(point.values);
  const auto [min, max] = std::minmax_element(point.values.begin(), point.values.end());
  json["min"] = *min;
  json["max"] = *max;
  if (const auto band = seed_interval({point.values}, Aggregate::iqm, pooled)) {
    json["low"] = band->low;
    json["high"] = band->high;
  }
  return json;
}

}  // namespace

// GET /v1/trials/{trial}/curve
ReadResult trial_curve(SQLite::Database& db, const Request& request) {
  const auto id = path_id<TrialId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto trial = find_trial(db, *id);
  if (!trial) return trial.error();
  const auto points = points_of(db, *id);
  if (!points) return points.error();
  PooledSpread pooled;  // of all phases: one of few seeds says little about its own spread
  for (const auto& [phase, point] : *points) pooled.add({point.values});
  Json json;
  json["trial"] = text(*id);
  json["runs"] = trial->runs;
  json["items"] = Json::array();
  for (const auto& [phase, point] : *points)
    json["items"].push_back(point_json(phase, point, pooled));
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
