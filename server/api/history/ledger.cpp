#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// GET /v1/ledger: its newest event, whose link stands for all events before it.
ReadResult ledger(SQLite::Database& db, const Request&) {
  const Snapshot snapshot(db);
  Json json;
  json["seq"] = last_seq(db);
  json["at"] = rfc3339(last_instant(db));
  const Link link = link_of(db, last_seq(db));
  json["link"] = link.empty() ? Json(nullptr) : Json(link_text(link));
  return json_response(json);
}

}  // namespace hone::api
