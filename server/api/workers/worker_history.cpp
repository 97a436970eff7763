// The page of one worker: what its machine did, its lanes, and what waits for it.
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/workers/explain_wait.hpp"
#include "server/api/workers/spans.hpp"
#include "server/api/workers/worker_contacts.hpp"
#include "server/api/workers/worker_state.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

Result<TimelineQuery> history_query(const Request& request, const WorkerRow& worker) {
  const auto to = time_query(request, Query::to, request.now);
  if (!to) return to.error();
  const Instant usual = std::max(worker.joined_at, *to - limits::worker_history_time);
  const auto from = time_query(request, Query::from, std::min(usual, *to));
  if (!from) return from.error();
  if (*to < *from) return refuse(Code::invalid, "to is before from", "/to");
  return TimelineQuery{*from, *to, std::nullopt, worker.id};
}

// Null where its machine sent nothing to this server.
Json machine_of(const Request& request, const TimelineQuery& query) {
  const auto past = request.contacts == nullptr
                        ? std::nullopt
                        : request.contacts->machines().read(*query.worker, query.from, query.to);
  if (!past) return nullptr;
  Json json;
  json["cores"] = past->cores;
  json["memory"] = past->memory;
  json["points"] = render_items(past->points);
  return json;
}

}  // namespace

// GET /v1/workers/{worker}/history
ReadResult worker_history(SQLite::Database& db, const Request& request) {
  const auto id = path_id<WorkerId>(request);
  if (!id) return id.error();
  const auto pixels = integer_query(request, Query::pixels, 1000, 10, 10'000);
  if (!pixels) return pixels.error();
  const Snapshot snapshot(db);
  const auto worker = find_worker(db, *id);
  if (!worker) return worker.error();
  const auto query = history_query(request, *worker);
  if (!query) return query.error();
  const Spans::SlotsOf slots{{worker->id, worker->cpus}};
  Spans spans(db, *query, *pixels, request.now, slots);
  each_attempt(db, *query, [&](const AttemptSpan& span) { spans.add(span); });
  const Waiting waiting = waiting_for(db, *worker, request);
  Json json;
  json["worker"] = text(worker->id);
  json["seq"] = last_seq(db);
  json["from"] = rfc3339(query->from);
  json["to"] = rfc3339(query->to);
  json["slots"] = worker->cpus;
  spans.render_into(json);
  const auto left =
      is_connected(*worker, request) ? std::nullopt : std::optional(seen_at(*worker, request));
  json["slot_seconds"] = render(slot_time(
      worker->cpus * connected_s(*query, worker->joined_at, left), spans.held_s(worker->id)));
  json["machine"] = machine_of(request, *query);
  json["held"] = render_items(waiting.held);
  json["waiting"] = render_items(waiting.waiting);
  json["waiting_left_out"] = waiting.left_out;
  return json_response(json);
}

}  // namespace hone::api
