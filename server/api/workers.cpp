#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/use.hpp"

namespace hone::api {

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
  const Snapshot snapshot(db);
  const auto row = find_worker(db, *id);
  if (!row) return row.error();
  Json json = render(*row);
  json["use"] = render_use(use_of_worker(db, *id));
  return json_response(json);
}

}  // namespace hone::api
