#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// GET /v1/tokens
ReadResult tokens(SQLite::Database& db, const Request& request) {
  const auto page = page_query(request);
  if (!page) return page.error();
  return render_pages(list_tokens(db, *page));
}

}  // namespace hone::api
