// Lists of which a filter lets things through. Internal to server/api.
#pragma once

#include <string>

#include "db/queries/find.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// A page of ids by ?where=, as the rows of their kind.
ReadResult list_where(SQLite::Database& db, const Request& request, filter::ThingKind kind,
                      const FindScope& scope);

ReadResult best_where(SQLite::Database& db, const std::string& text, SweepId sweep,
                      std::int64_t limit);

}  // namespace hone::api
