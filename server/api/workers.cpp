#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// POST /v1/workers
Result<Command> parse_join(const Request& request) {
  auto join = body(request, decode_join_request);
  if (!join) return join.error();
  return Command(Join{*std::move(join), request.speaker.token});
}

Response render_join(const Reply& reply) {
  return json_response(encode(std::get<JoinReply>(reply)));
}

// POST /v1/workers/{worker}/beat
Result<Command> parse_beat(const Request& request) {
  const auto id = path_id<WorkerId>(request);
  if (!id) return id.error();
  auto beat = body(request, decode_beat_request);
  if (!beat) return beat.error();
  return Command(Beat{*id, *std::move(beat)});
}

Response render_beat(const Reply& reply) {
  return json_response(encode(std::get<BeatReply>(reply)));
}

// POST /v1/workers/{worker}/allow
Result<Command> parse_allow(const Request& request) {
  const auto id = path_id<WorkerId>(request);
  if (!id) return id.error();
  if (const auto nothing = body(request, decode_no_request); !nothing) return nothing.error();
  return Command(Allow{*id});
}

// GET /v1/workers
ReadResult workers(SQLite::Database& db, const Request& request) {
  const auto page = page_query(request);
  if (!page) return page.error();
  return render_pages(list_workers(db, *page));
}

// GET /v1/workers/{worker}
ReadResult worker(SQLite::Database& db, const Request& request) {
  const auto id = path_id<WorkerId>(request);
  if (!id) return id.error();
  return render_one(find_worker(db, *id));
}

}  // namespace hone::api
