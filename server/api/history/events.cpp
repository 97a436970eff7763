#include "server/api/history/events.hpp"

#include <charconv>
#include <limits>
#include <set>

#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

std::optional<std::int64_t> as_seq(const std::string& text) {
  std::int64_t seq = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, seq);
  if (trouble != std::errc() || stop != end || seq < 0) return std::nullopt;
  return seq;
}

// "250ms"; no time without the query.
Result<Duration> parse_digest(const Request& request) {
  const auto* given = query_value(request, Query::digest);
  if (given == nullptr) return Duration{};
  const auto ms = given->ends_with("ms") ? as_seq(given->substr(0, given->size() - 2))
                                         : std::optional<std::int64_t>();
  if (ms && *ms >= limits::digest_min.us / 1000 && *ms <= limits::digest_max.us / 1000)
    return milliseconds(*ms);
  return refuse(Code::invalid,
                "digest must be from " + std::to_string(limits::digest_min.us / 1000) + "ms to " +
                    std::to_string(limits::digest_max.us / 1000) + "ms",
                "/digest");
}

// What a page must know of some events: which sweeps and workers they concern, and the reports.
class Digest {
 public:
  void add(const EventRow& event) {
    ++events_;
    if (event.sweep) sweeps_.insert(text(*event.sweep));
    if (event.kind.starts_with("worker_")) workers_ = true;
    if (event.kind != "report_recorded") return;
    if (reports_.size() >= limits::digest_ids_max) {
      resync_ = true;
      return;
    }
    const auto body = parse_json(event.body);
    if (!body) return;
    reports_.push_back(Json::array({body->value("run", ""), body->value("phase", 0),
                                    body->contains("value") ? body->at("value") : Json(nullptr)}));
  }
  void skip() { resync_ = true; }
  [[nodiscard]] Json json(std::int64_t seq) const {
    Json json;
    json["seq"] = seq;
    json["events"] = events_;
    json["sweeps"] = sweeps_;
    json["workers"] = workers_;
    json["resync"] = resync_;
    json["reports"] = resync_ ? Json::array() : reports_;
    return json;
  }

 private:
  std::int64_t events_ = 0;
  std::set<std::string> sweeps_;
  Json reports_ = Json::array();
  bool workers_ = false;
  bool resync_ = false;
};

// A client that is far behind gets one frame that makes it read everything again.
Result<EventBatch> next_digest(SQLite::Database& db, const Watch& watch) {
  const auto newest = last_seq(db);
  EventBatch batch{{}, watch, false};
  if (newest <= watch.after) return batch;
  auto page = list_events(db, watch.after, watch.sweep, limits::digest_events_max,
                          {limits::page_bytes_max, limits::event_bytes_max});
  if (!page) return page.error();
  Digest digest;
  for (const auto& event : page->items)
    if (event.seq <= newest) digest.add(event);
  if (page->next) digest.skip();
  batch.watch.after = newest;
  if (!page->items.empty())
    batch.text = "id: " + std::to_string(newest) +
                 "\nevent: digest\ndata: " + to_text(digest.json(newest)) + "\n\n";
  return batch;
}

}  // namespace

Result<Watch> parse_watch(const Request& request) {
  Watch watch;
  const auto after =
      integer_query(request, Query::after, 0, 0, std::numeric_limits<std::int64_t>::max());
  if (!after) return after.error();
  watch.after = as_seq(request.last_event_id).value_or(*after);
  const auto digest = parse_digest(request);
  if (!digest) return digest.error();
  watch.digest = *digest;
  const auto* sweep = query_value(request, Query::sweep);
  if (sweep == nullptr) return watch;
  const auto id = id_from<SweepId>(*sweep, "/sweep");
  if (!id) return id.error();
  watch.sweep = *id;
  return watch;
}

Result<EventBatch> next_events(SQLite::Database& db, const Watch& watch) {
  if (watch.digest.us > 0) return next_digest(db, watch);
  // Read before the events, so that no event in between is skipped.
  const auto newest = last_seq(db);
  auto page = list_events(db, watch.after, watch.sweep, limits::watch_batch_events,
                          {limits::watch_batch_bytes, limits::event_bytes_max});
  if (!page) return page.error();
  EventBatch batch{{}, watch, page->next.has_value()};
  for (const auto& event : page->items) {
    batch.text += "id: " + std::to_string(event.seq) + "\ndata: " + to_text(render(event)) + "\n\n";
    batch.watch.after = event.seq;
  }
  // Those up to `newest` that are not on the page belong to other sweeps.
  if (!batch.more && newest > batch.watch.after) batch.watch.after = newest;
  return batch;
}

// GET /v1/events, as a page
ReadResult events(SQLite::Database& db, const Request& request) {
  const auto watch = parse_watch(request);
  if (!watch) return watch.error();
  const auto page = page_query(request);
  if (!page) return page.error();
  return render_pages(list_events(db, watch->after, watch->sweep, page->limit,
                                  {limits::page_bytes_max, limits::event_bytes_max}));
}

}  // namespace hone::api
