// Reads the rows of a page from a primary's ledger.
#pragma once

#include <SQLiteCpp/Database.h>

#include <vector>

#include "base/result.hpp"
#include "server/standby/page.hpp"

namespace hone::standby {

// The events after pull.after, up to the bounds of a page. Refuses (conflict) a standby whose event
// `after` is not in this ledger, or has another link here: the two have diverged.
Result<std::vector<Row>> rows_after(SQLite::Database& db, const Pull& pull);

}  // namespace hone::standby
