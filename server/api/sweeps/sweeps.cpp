#include "db/queries/queries.hpp"
#include "schemas/codec/default_methods.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/submit.hpp"
#include "server/api/arguments.hpp"
#include "server/api/find.hpp"
#include "server/api/outcome.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {

// POST /v1/sweeps
Result<Command> parse_submit(const Request& request) {
  auto submit = body<SubmitRequest>(request);
  if (!submit) return submit.error();
  if (!submit->forked_from) choose_version(submit->spec);
  return Command(Submit{*std::move(submit)});
}

// GET /v1/sweeps
ReadResult sweeps(SQLite::Database& db, const Request& request) {
  FindScope scope;
  scope.archived = query_value(request, Query::all) != nullptr;
  if (query_value(request, Query::where) == nullptr) {
    const auto page = page_query(request);
    if (!page) return page.error();
    return render_pages(list_sweeps(db, *page, scope.archived));
  }
  return list_where(db, request, ObjectKind::sweep, scope);
}

// GET /v1/sweeps/{sweep}
ReadResult sweep(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto row = find_sweep(db, *id);
  if (!row) return row.error();
  const auto spec = spec_of(*row);
  auto json = render(*row);
  json["eta"] = spec ? render_end(forecast_end(db, *row, *spec, request.now)) : Json();
  if (spec) json["outcome"] = render_outcome(db, *row, *spec);
  json["work"] = render_work(db, *row, request.now);
  json["spec"] = stored_json(row->spec);
  return json_response(json);
}

// GET /v1/sweeps/{sweep}/trials
ReadResult trials(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const auto page = page_query(request);
  if (!page) return page.error();
  const auto* sort = query_value(request, Query::sort);
  if (sort != nullptr && *sort != "value" && *sort != "number")
    return refuse(Code::invalid, "sort must be value (best first) or number", "/sort");
  const bool by_value = sort != nullptr && *sort == "value";
  if (query_value(request, Query::where) != nullptr) {
    if (auto known = find_sweep(db, *id); !known) return known.error();
    FindScope scope;
    scope.sweep = *id;
    scope.order = by_value ? FindOrder::value : FindOrder::number;
    return list_where(db, request, ObjectKind::trial, scope);
  }
  return render_pages(list_trials(db, *id, by_value ? TrialSort::value : TrialSort::number, *page));
}

// GET /v1/sweeps/{sweep}/curves
ReadResult curves(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const auto page = page_query(request);
  if (!page) return page.error();
  return render_pages(list_curves(db, *id, *page, limits::page_points_max));
}

}  // namespace hone::api
