// The ids of the objects that match a filter, page by page. queries.hpp reads their rows.
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
  std::optional<SweepId> sweep{};  // only objects of this sweep
  std::optional<TrialId> trial{};  // only objects of this trial
  bool archived = true;            // archived sweeps as well
  FindOrder order = FindOrder::newest;
};

// Compiles a filter for `kind`, else for the kind that the filter names, else for trials. Times
// such as -2d count from `now`.
Result<filter::Conditions> read_filter(const std::string& text, Instant now,
                                       std::optional<filter::ObjectKind> kind = {});

Result<Page<ObjectId>> find_ids(SQLite::Database& db, const filter::Conditions& where,
                                const FindScope& scope, const PageQuery& page);

Result<AttemptRow> find_attempt(SQLite::Database& db, AttemptId id);

}  // namespace hone
