// Copies of a database that is in use.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace hone {

// Told every few megabytes: pages copied, and pages in all.
using CopyProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// Copies the database as it is at this instant into the file `to`, over what is there, and syncs
// it. Writers go on meanwhile. A copy that is interrupted is an empty database, never half of one.
// Refuses (unavailable) when the disk does.
Status copy_database(SQLite::Database& from, const std::string& to, const CopyProgress& progress);

// Copies the database beside itself, under a name that says its schema and its newest event, and
// reads the copy through. A whole copy from an earlier try is taken as it is. Answers its name.
Result<std::string> back_up_beside(SQLite::Database& db, const std::string& file);

}  // namespace hone
