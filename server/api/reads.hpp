// Handlers of the routes that return what one query returns. Internal to server/api.
#pragma once

#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"

namespace hone::api {

// GET /v1/models/{model} by one<find_model>: the row of the id in the path.
template <auto find, class Row, class Id>
Result<Response> one_by(Result<Row> (*)(SQLite::Database&, Id), SQLite::Database& db,
                        const Request& request) {
  const auto id = path_id<Id>(request);
  if (!id) return id.error();
  return render_one(find(db, *id));
}
template <auto find>
Result<Response> one(SQLite::Database& db, const Request& request) {
  return one_by<find>(find, db, request);
}

// GET /v1/runs/{run}/attempts by page<list_attempts>: a page of the rows of the id in the path, or
// of all rows, where the query takes no id.
template <auto list, class Row, class Id>
Result<Response> page_by(Result<Page<Row>> (*)(SQLite::Database&, Id, const PageQuery&),
                         SQLite::Database& db, const Request& request) {
  const auto id = path_id<Id>(request);
  if (!id) return id.error();
  const auto query = page_query(request);
  if (!query) return query.error();
  return render_pages(list(db, *id, *query));
}
template <auto list, class Row>
Result<Response> page_by(Result<Page<Row>> (*)(SQLite::Database&, const PageQuery&),
                         SQLite::Database& db, const Request& request) {
  const auto query = page_query(request);
  if (!query) return query.error();
  return render_pages(list(db, *query));
}
template <auto list>
Result<Response> page(SQLite::Database& db, const Request& request) {
  return page_by<list>(list, db, request);
}

}  // namespace hone::api
