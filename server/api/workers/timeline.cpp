// What each worker ran when.
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/workers/spans.hpp"
#include "server/api/workers/worker_contacts.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

Result<TimelineQuery> read_query(SQLite::Database& db, const Request& request) {
  TimelineQuery query;
  if (const auto* sweep = query_value(request, Query::sweep)) {
    const auto id = id_from<SweepId>(*sweep, "/sweep");
    if (!id) return id.error();
    if (auto known = find_sweep(db, *id); !known) return known.error();
    query.sweep = *id;
  }
  const auto to = time_query(request, Query::to, request.now);
  if (!to) return to.error();
  const auto from =
      time_query(request, Query::from, first_attempt(db, query.sweep).value_or(request.now));
  if (!from) return from.error();
  if (*to < *from) return refuse(Code::invalid, "to is before from", "/to");
  query.from = *from;
  query.to = *to;
  return query;
}

// Until when the worker was connected; nullopt: it still is.
std::optional<Instant> left_at(const WorkerTime& worker, const Request& request) {
  if (request.contacts == nullptr) return worker.last_seen_at;
  const Instant seen =
      std::max(worker.last_seen_at, request.contacts->of(worker.id).value_or(Instant{}));
  return request.contacts->is_silent(seen, request.now) ? std::optional(seen) : std::nullopt;
}

// Idle shares of all workers together, and of the first of them.
void add_slot_time(Json& json, const Spans& spans, const std::vector<WorkerTime>& workers,
                   const TimelineQuery& query, const Request& request) {
  double offered = 0, held = 0;
  json["workers"] = Json::array();
  for (const WorkerTime& worker : workers) {
    const double own = worker.cpus * connected_s(query, worker.joined_at, left_at(worker, request));
    offered += own;
    held += spans.held_s(worker.id);
    if (json["workers"].size() >= limits::slot_workers_max) continue;
    Json row = render(slot_time(own, spans.held_s(worker.id)));
    row["worker"] = text(worker.id);
    json["workers"].push_back(std::move(row));
  }
  json["slot_seconds"] = render(slot_time(offered, held));
}

}  // namespace

// GET /v1/timeline
ReadResult timeline(SQLite::Database& db, const Request& request) {
  const auto pixels = integer_query(request, Query::pixels, 1000, 10, 10'000);
  if (!pixels) return pixels.error();
  const Snapshot snapshot(db);
  const auto query = read_query(db, request);
  if (!query) return query.error();
  const auto workers = workers_between(db, query->from, query->to);
  Spans::SlotsOf slots;
  for (const WorkerTime& worker : workers) slots[worker.id] = worker.cpus;
  Spans spans(db, *query, *pixels, request.now, slots);
  each_attempt(db, *query, [&](const AttemptSpan& span) { spans.add(span); });
  Json json;
  json["seq"] = last_seq(db);
  json["from"] = rfc3339(query->from);
  json["to"] = rfc3339(query->to);
  spans.render_into(json);
  add_slot_time(json, spans, workers, *query, request);
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
