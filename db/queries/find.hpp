// What a filter finds: ids, page by page. Their rows come from db/queries/queries.hpp.
#pragma once

#include <SQLiteCpp/Database.h>

#include <optional>
#include <string>

#include "base/result.hpp"
#include "db/filter/compile.hpp"
#include "db/queries/rows.hpp"

namespace hone {

enum class FindOrder {
  newest,  // first
  number,  // oldest first
  value    // trials of one sweep: best first
};

struct FindScope {
  std::optional<SweepId> sweep{};  // things of it alone
  std::optional<TrialId> trial{};
  bool archived = true;  // sweeps that were archived, too
  FindOrder order = FindOrder::newest;
};

// The conditions of a filter's text on one kind; the kind that it names where none is given, a
// trial where it names none either.
Result<filter::Conditions> read_filter(SQLite::Database& db, const std::string& text,
                                       std::optional<filter::ThingKind> kind = {});

Result<Page<ObjectId>> find_ids(SQLite::Database& db, const filter::Conditions& where,
                                const FindScope& scope, const PageQuery& page);

Result<AttemptRow> find_attempt(SQLite::Database& db, AttemptId id);

}  // namespace hone
