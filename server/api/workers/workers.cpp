#include <algorithm>

#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/use.hpp"
#include "server/api/workers/worker_contacts.hpp"
#include "server/api/workers/worker_state.hpp"
#include "server/sweep/state/failures.hpp"

namespace hone::api {

namespace {

// By the ledger alone, a waiting worker is seen every 5 min.
bool is_silent(const WorkerRow& row, const Request& request) {
  if (request.contacts == nullptr) return request.now - row.last_seen_at >= absent_after;
  return request.contacts->is_silent(row.last_seen_at, request.now);
}

}  // namespace

Instant seen_at(const WorkerRow& row, const Request& request) {
  const auto seen = request.contacts != nullptr ? request.contacts->of(row.id) : std::nullopt;
  return seen ? std::max(row.last_seen_at, *seen) : row.last_seen_at;
}

std::string state_of(const WorkerRow& row, const Request& request) {
  WorkerRow seen = row;
  seen.last_seen_at = seen_at(row, request);
  if (row.cpus == 0) return "asks";
  if (row.lost) return "lost";
  if (is_silent(seen, request)) return "silent";
  return row.aside_until ? "quarantined" : "present";
}

bool is_connected(const WorkerRow& row, const Request& request) {
  const std::string state = state_of(row, request);
  return state == "present" || state == "quarantined";
}

namespace {

Json render_at(WorkerRow row, const Request& request) {
  const std::string state = state_of(row, request);
  row.last_seen_at = seen_at(row, request);
  Json json = hone::api::render(row);
  json["state"] = state;
  return json;
}

}  // namespace

// GET /v1/workers
ReadResult workers(SQLite::Database& db, const Request& request) {
  const auto query = page_query(request);
  if (!query) return query.error();
  const auto page = list_workers(db, *query);
  if (!page) return page.error();
  Json json;
  json["items"] = Json::array();
  for (const WorkerRow& row : page->items) json["items"].push_back(render_at(row, request));
  json["next"] = page->next ? Json(*page->next) : Json(nullptr);
  return json_response(json);
}

// GET /v1/workers/{worker}
ReadResult worker(SQLite::Database& db, const Request& request) {
  const auto id = path_id<WorkerId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto row = find_worker(db, *id);
  if (!row) return row.error();
  Json json = render_at(*row, request);
  json["use"] = render_use(use_of_worker(db, *id));
  return json_response(json);
}

}  // namespace hone::api
