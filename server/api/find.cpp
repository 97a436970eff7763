// Searches: /v1/find, and ?where= of the lists.
#include "db/queries/find.hpp"

#include "base/expect.hpp"
#include "db/queries/queries.hpp"
#include "db/queries/replicates.hpp"
#include "server/api/arguments.hpp"
#include "server/api/find.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {
namespace {

struct RowOf {
  SQLite::Database& db;

  template <class Row>
  static Result<Json> rendered(const Result<Row>& row) {
    if (!row) return row.error();
    return render(*row);
  }
  Result<Json> operator()(SweepId id) const { return rendered(find_sweep(db, id)); }
  Result<Json> operator()(TrialId id) const { return rendered(find_trial(db, id)); }
  Result<Json> operator()(RunId id) const { return rendered(find_run(db, id)); }
  Result<Json> operator()(AttemptId id) const { return rendered(find_attempt(db, id)); }
  Result<Json> operator()(ModelId id) const { return rendered(find_model(db, id)); }
  Result<Json> operator()(DatasetId id) const { return rendered(find_dataset(db, id)); }
  Result<Json> operator()(WorkflowId id) const { return rendered(find_workflow(db, id)); }
  Result<Json> operator()(WorkerId id) const { return rendered(find_worker(db, id)); }
  Result<Json> operator()(EvaluationId id) const { return rendered(find_evaluation(db, id)); }
  Result<Json> operator()(const ReportKey& id) const {
    const auto row = find_report(db, id);
    return row ? of_run(id.run, row->sweep, text(LineageKey(id)), render(row->point)) : row.error();
  }
  Result<Json> operator()(const MetricKey& id) const {
    const auto row = find_series(db, id);
    if (!row) return row.error();
    return of_run(id.run, row->sweep, text(LineageKey(id)),
                  {{"name", id.name}, {"step", row->step}, {"value", row->value}});
  }
  Result<Json> operator()(const ArtifactKey& id) const {
    const auto row = find_artifact(db, id);
    return row ? of_run(id.run, row->sweep, "", render(row->file)) : row.error();
  }

  // Artifacts have no id: their run and name identify them.
  static Result<Json> of_run(RunId run, SweepId sweep, const std::string& id, Json json) {
    if (!id.empty()) json["id"] = id;
    json["run"] = text(run);
    json["trial"] = text(run.trial);
    json["sweep"] = text(sweep);
    return json;
  }
};

Response list_response(Json items, const std::optional<std::string>& next) {
  Json body;
  body["items"] = std::move(items);
  body["next"] = next ? Json(*next) : Json(nullptr);
  return json_response(body);
}

Result<Json> rows_of(SQLite::Database& db, const std::vector<FoundId>& ids) {
  Json items = Json::array();
  for (const FoundId& id : ids) {
    auto row = std::visit(RowOf{db}, id);
    if (!row) return row.error();
    items.push_back(*std::move(row));
  }
  return items;
}

}  // namespace

ReadResult list_where(SQLite::Database& db, const Request& request, ObjectKind kind,
                      const FindScope& scope) {
  const auto page = page_query(request);
  if (!page) return page.error();
  const Snapshot snapshot(db);
  const auto* text = query_value(request, Query::where);
  const auto where = read_filter(text == nullptr ? std::string() : *text, request.now, kind);
  if (!where) return where.error();
  const auto ids = find_ids(db, *where, scope, *page);
  if (!ids) return ids.error();
  auto items = rows_of(db, ids->items);
  if (!items) return items.error();
  return list_response(*std::move(items), ids->next);
}

ReadResult best_where(SQLite::Database& db, const std::string& text, Instant now, SweepId sweep,
                      std::int64_t limit) {
  const Snapshot snapshot(db);
  const auto known = find_sweep(db, sweep);
  if (!known) return known.error();
  const auto where = read_filter(text, now, ObjectKind::trial);
  if (!where) return where.error();
  FindScope scope;
  scope.sweep = sweep;
  scope.order = FindOrder::value;
  const auto ids = find_ids(db, *where, scope, {limit, {}});
  if (!ids) return ids.error();
  Json items = Json::array();
  for (const FoundId& id : ids->items) {
    auto row = best_of_trial(db, std::get<TrialId>(id), known->objective.goal);
    if (!row) break;  // the trials after it have no report either
    row->rank = static_cast<std::int64_t>(items.size()) + 1;
    Json item = render(*row);
    item["interval"] = nullptr;  // ranks among all trials of the sweep would not apply here
    item["ranks"] = nullptr;
    items.push_back(std::move(item));
  }
  Json json;
  json["aggregate"] = nullptr;
  json["trials"] = known->trials_proposed;
  json["confirmation"] = nullptr;
  json["items"] = std::move(items);
  json["next"] = nullptr;
  return json_response(json);
}

Result<std::vector<TrialId>> trials_where(SQLite::Database& db, const std::string& text,
                                          Instant now, SweepId sweep) {
  const auto where = read_filter(text, now, ObjectKind::trial);
  if (!where) return where.error();
  FindScope scope;
  scope.sweep = sweep;
  scope.order = FindOrder::number;
  const auto ids = find_ids(db, *where, scope, {limits::columns_rows_max, {}});
  if (!ids) return ids.error();
  std::vector<TrialId> trials;
  for (const auto& id : ids->items) trials.push_back(std::get<TrialId>(id));
  return trials;
}

// GET /v1/find
ReadResult find(SQLite::Database& db, const Request& request) {
  const auto* text = query_value(request, Query::where);
  if (text == nullptr)
    return refuse(Code::invalid, "add what to find: ?where=model where metric.return > 450",
                  "/where");
  const auto page = page_query(request);
  if (!page) return page.error();
  const Snapshot snapshot(db);
  const auto where = read_filter(*text, request.now);
  if (!where) return where.error();
  const auto ids = find_ids(db, *where, {}, *page);
  if (!ids) return ids.error();
  auto items = rows_of(db, ids->items);
  if (!items) return items.error();
  Json body;
  body["kind"] = word(where->kind);
  body["items"] = *std::move(items);
  body["next"] = ids->next ? Json(*ids->next) : Json(nullptr);
  return json_response(body);
}

// GET /v1/sweeps/{sweep}/runs
ReadResult runs_of_sweep(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  if (auto known = find_sweep(db, *id); !known) return known.error();
  FindScope scope;
  scope.sweep = *id;
  scope.order = FindOrder::number;
  return list_where(db, request, ObjectKind::run, scope);
}

}  // namespace hone::api
