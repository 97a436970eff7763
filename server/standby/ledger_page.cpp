#include "server/standby/ledger_page.hpp"

#include <SQLiteCpp/Statement.h>

#include "db/ledger/chain.hpp"
#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "server/standby/limits.hpp"

namespace hone::standby {
namespace {

Error diverged(std::int64_t seq, const std::string& what) {
  return refuse(Code::conflict, "the ledgers have diverged: event " + std::to_string(seq) +
                                    " of the standby " + what +
                                    ". A standby cannot follow from here: move its data folder "
                                    "away and start it with a new one");
}

}  // namespace

Result<std::vector<Row>> rows_after(SQLite::Database& db, const Pull& pull) {
  const Snapshot snapshot(db);
  const auto newest = last_seq(db);
  if (pull.after > newest)
    return diverged(pull.after, "is not in this ledger, which ends with " + std::to_string(newest));
  if (pull.after > 0 && link_text(link_of(db, pull.after)) != pull.link)
    return diverged(pull.after, "has another link in this ledger");
  std::vector<Row> rows;
  std::size_t bytes = 0;
  SQLite::Statement s(db,
                      "SELECT seq, at, kind, sweep, body, link FROM event WHERE seq > ?"
                      " ORDER BY seq LIMIT ?");
  s.bind(1, pull.after);
  s.bind(2, limits::page_events);
  while (bytes < limits::page_bytes && s.executeStep()) {
    Row row{s.getColumn(0).getInt64(),  {s.getColumn(1).getInt64()},
            s.getColumn(2).getString(), {},
            s.getColumn(4).getString(), {}};
    if (!s.isColumnNull(3)) row.sweep = SweepId{s.getColumn(3).getInt64()};
    if (!s.isColumnNull(5)) row.link = link_text(s.getColumn(5).getString());
    bytes += row.body.size();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hone::standby
