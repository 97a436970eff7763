// Sentences about turns: why a run started when and where it did.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>

#include "db/queries/rows.hpp"
#include "schemas/types/budget_spec.hpp"

namespace hone::api {

// Why the run's newest attempt started there and then; empty for a run without attempts.
std::string turn_text(SQLite::Database& db, const RunRow& run, const ResourcesSpec& resources);

}  // namespace hone::api
