// Lists with a filter. Internal to server/api.
#pragma once

#include <string>
#include <vector>

#include "db/queries/find.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// A page of the objects of a kind that match ?where=.
ReadResult list_where(SQLite::Database& db, const Request& request, ObjectKind kind,
                      const FindScope& scope);

ReadResult best_where(SQLite::Database& db, const std::string& text, Instant now, SweepId sweep,
                      std::int64_t limit);

// The trials of a sweep that match, by number.
Result<std::vector<TrialId>> trials_where(SQLite::Database& db, const std::string& text,
                                          Instant now, SweepId sweep);

}  // namespace hone::api
