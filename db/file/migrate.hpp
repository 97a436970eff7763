// Brings a file to the newest schema. Inside db/ only; database.hpp is the way in.
#pragma once

#include <SQLiteCpp/Database.h>

#include "base/result.hpp"

namespace hone {

// Applies the missing migrations, records the checksum of each, and rebuilds the projection of a
// file that holds events. It is one transaction: a process that is killed meanwhile leaves the file
// unchanged. Refuses (conflict) a file of a newer schema and (invalid) a file of another program or
// with migrations that this program does not have.
Status migrate(SQLite::Database& db);

// The schema that this program writes.
int newest_schema();

// Only checks, for a read-only connection.
Status check_schema(SQLite::Database& db);

// Precondition of both: check_schema holds. 0 is an empty file.
int schema_of(SQLite::Database& db);
bool needs_upgrade(SQLite::Database& db);

}  // namespace hone
