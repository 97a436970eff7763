// The rows of a page: read from a primary's ledger, appended to that of a standby.
#pragma once

#include <SQLiteCpp/Database.h>

#include <vector>

#include "base/result.hpp"
#include "db/ledger/ledger.hpp"
#include "server/standby/page.hpp"

namespace hone::standby {

// The events after pull.after, up to the bounds of a page. Refuses (conflict) a standby whose event
// `after` is not in this ledger, or has another link here: the two have diverged.
Result<std::vector<Row>> rows_after(SQLite::Database& db, const Pull& pull);

// Appends the events and metrics. Precondition: the ledger is inside a transaction; roll it back
// after a refusal. Refuses events that do not continue the ledger, and (invalid) those that decide
// would never produce. Throws SQLite::Exception if the disk fails.
Status append_page(Ledger& ledger, const Page& page);

}  // namespace hone::standby
