#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

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
  return render_one(find_worker(db, *id));
}

}  // namespace hone::api
