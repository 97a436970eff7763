#include "server/api/events.hpp"

#include <charconv>
#include <limits>

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

}  // namespace

Result<Watch> parse_watch(const Request& request) {
  Watch watch;
  const auto after =
      integer_query(request, Query::after, 0, 0, std::numeric_limits<std::int64_t>::max());
  if (!after) return after.error();
  watch.after = as_seq(request.last_event_id).value_or(*after);
  const auto* sweep = query_value(request, Query::sweep);
  if (sweep == nullptr) return watch;
  const auto id = id_from<SweepId>(*sweep, "/sweep");
  if (!id) return id.error();
  watch.sweep = *id;
  return watch;
}

Result<EventBatch> next_events(SQLite::Database& db, const Watch& watch) {
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
