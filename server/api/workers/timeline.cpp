// What each worker ran when.
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/words.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

constexpr std::int64_t latest_s = never.us / 1'000'000;

Json render(const AttemptSpan& span) {
  Json json;
  json["worker"] = text(span.worker);
  json["attempt"] = text(span.attempt);
  json["sweep"] = text(span.sweep);
  json["from"] = rfc3339(span.from);
  json["to"] = or_null(span.to);
  json["reason"] = span.reason ? Json(word(*span.reason)) : Json(nullptr);
  return json;
}

// Attempts shorter than a pixel that follow one another on a worker, as one interval.
struct Busy {
  WorkerId worker;
  Instant from, to;
  std::int64_t attempts = 0;
  Duration time;
};

Json render(const Busy& busy) {
  Json json;
  json["worker"] = text(busy.worker);
  json["from"] = rfc3339(busy.from);
  json["to"] = rfc3339(busy.to);
  json["attempts"] = busy.attempts;
  json["seconds"] = static_cast<double>(busy.time.us) / 1e6;
  return json;
}

class Spans {
 public:
  Spans(Duration pixel, Instant now) : pixel_(pixel), now_(now) {}

  void add(const AttemptSpan& span) {
    const Duration time = span.to.value_or(now_) - span.from;
    if (items.size() + busy.size() >= limits::timeline_spans_max) {
      truncated = true;
    } else if (!span.to || time >= pixel_) {
      items.push_back(render(span));
    } else {
      merge(span, time);
    }
  }

  Json items = Json::array();
  std::vector<Busy> busy;
  bool truncated = false;

 private:
  void merge(const AttemptSpan& span, Duration time) {
    const bool follows =
        !busy.empty() && busy.back().worker == span.worker && span.from - busy.back().to < pixel_;
    if (!follows) busy.push_back({span.worker, span.from, *span.to, 0, {}});
    auto& last = busy.back();
    last.to = std::max(last.to, *span.to);
    ++last.attempts;
    last.time = last.time + time;
  }

  Duration pixel_;
  Instant now_;
};

// A time in seconds since 1970.
Result<Instant> time_query(const Request& request, Query name, Instant fallback) {
  if (query_value(request, name) == nullptr) return fallback;
  const auto s = integer_query(request, name, 0, 0, latest_s);
  if (!s) return s.error();
  return Instant{*s * 1'000'000};
}

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

}  // namespace

// GET /v1/timeline
ReadResult timeline(SQLite::Database& db, const Request& request) {
  const auto pixels = integer_query(request, Query::pixels, 1000, 10, 10'000);
  if (!pixels) return pixels.error();
  const Snapshot snapshot(db);
  const auto query = read_query(db, request);
  if (!query) return query.error();
  Spans spans(Duration{(query->to - query->from).us / *pixels}, request.now);
  each_attempt(db, *query, [&](const AttemptSpan& span) { spans.add(span); });
  Json json;
  json["seq"] = last_seq(db);
  json["from"] = rfc3339(query->from);
  json["to"] = rfc3339(query->to);
  json["items"] = std::move(spans.items);
  json["busy"] = Json::array();
  for (const auto& one : spans.busy) json["busy"].push_back(render(one));
  json["truncated"] = spans.truncated;
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
