#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/find.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// GET /v1/trials/{trial}/runs
ReadResult runs(SQLite::Database& db, const Request& request) {
  const auto id = path_id<TrialId>(request);
  if (!id) return id.error();
  if (query_value(request, Query::where) != nullptr) {
    if (auto known = find_trial(db, *id); !known) return known.error();
    FindScope scope;
    scope.trial = *id;
    scope.order = FindOrder::number;
    return list_where(db, request, ObjectKind::run, scope);
  }
  const auto page = page_query(request);
  if (!page) return page.error();
  return render_pages(list_runs(db, *id, *page));
}

// GET /v1/runs/{run}/artifacts
ReadResult artifacts(SQLite::Database& db, const Request& request) {
  const auto id = path_id<RunId>(request);
  if (!id) return id.error();
  const auto rows = read_artifacts(db, *id);
  if (!rows) return rows.error();
  Json json;
  json["run"] = text(*id);
  json["items"] = render_items(*rows);
  json["next"] = nullptr;
  return json_response(json);
}

// GET /v1/runs/{run}/curve
ReadResult curve(SQLite::Database& db, const Request& request) {
  const auto id = path_id<RunId>(request);
  if (!id) return id.error();
  const auto rows = read_curve(db, *id);
  if (!rows) return rows.error();
  Json json;
  json["run"] = text(*id);
  json["items"] = render_items(*rows);
  json["next"] = nullptr;  // a curve has at most budget.phases points: it is always whole
  return json_response(json);
}

namespace {

// ?fields=names: the series without their points.
ReadResult metric_names(SQLite::Database& db, RunId run, const std::string& fields) {
  if (fields != "names") return refuse(Code::invalid, "fields is names, or left out", "/fields");
  const auto rows = read_metric_names(db, run);
  if (!rows) return rows.error();
  Json json;
  json["items"] = render_items(*rows);
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace

// GET /v1/runs/{run}/metrics
ReadResult metrics(SQLite::Database& db, const Request& request) {
  const auto id = path_id<RunId>(request);
  if (!id) return id.error();
  if (const auto* fields = query_value(request, Query::fields))
    return metric_names(db, *id, *fields);
  const auto page = page_query(request);
  if (!page) return page.error();
  const auto* name = query_value(request, Query::name);
  return render_pages(list_metrics(db, *id, name == nullptr ? std::string() : *name, *page));
}

}  // namespace hone::api
