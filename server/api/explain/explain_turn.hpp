// Sentences about turns: why a run started when and where it did.
#pragma once

#include <SQLiteCpp/Database.h>

#include <optional>
#include <string>

#include "db/queries/rows.hpp"
#include "schemas/types/budget_spec.hpp"
#include "schemas/types/width.hpp"

namespace hone::api {

// Why the run's newest attempt started there and then; empty for a run without attempts.
std::string turn_text(SQLite::Database& db, const RunRow& run, const ResourcesSpec& resources);

// The slots of the run's newest attempt and their reason, where its sweep names a range.
std::optional<Width> newest_width(SQLite::Database& db, const RunRow& run);
std::string width_text(const std::optional<Width>& width);

// What the run's newest attempt was forecast to lose and to bring next to the runs of its worker;
// empty where no such pair was measured.
std::string neighbours_text(SQLite::Database& db, const RunRow& run);
// Which workers keep a slot free although the sweep has a run for it, and why.
std::string kept_free_text(SQLite::Database& db, SweepId sweep);

}  // namespace hone::api
