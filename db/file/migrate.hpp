// Brings a file to the newest schema. Inside db/ only; database.hpp is the way in.
#pragma once

#include <SQLiteCpp/Database.h>

#include "base/result.hpp"

namespace hone {

// Applies the migrations the file lacks and records the checksum of each. When it changed a file
// that holds events, the projection is folded again. All of it is one transaction: whoever is
// killed on the way leaves the file as it was. Refuses with conflict a
// file of a newer schema, with invalid one that is not ours or whose applied migrations are not the
// ones this program knows.
Status migrate(SQLite::Database& db);

// The schema that this program writes.
int newest_schema();

// The checks alone, for a connection that may not write.
Status check_schema(SQLite::Database& db);

// Precondition of both: check_schema holds. 0 is an empty file.
int schema_of(SQLite::Database& db);
bool needs_upgrade(SQLite::Database& db);

}  // namespace hone
