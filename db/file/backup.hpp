// Copies of a database that is in use.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace hone {

// Called every few megabytes with the pages copied and all pages.
using CopyProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// Copies the database as of this instant over the file `to`, and syncs it. Writers continue
// meanwhile. An interrupted copy is an empty database, never half of one. Refuses (unavailable) if
// the copy cannot be written.
Status copy_database(SQLite::Database& from, const std::string& to, const CopyProgress& progress);

// Copies the database into the same folder, under a name with its schema and its newest event, and
// verifies the copy. Uses an intact copy of an earlier try. Returns the name.
Result<std::string> back_up_beside(SQLite::Database& db, const std::string& file);

}  // namespace hone
