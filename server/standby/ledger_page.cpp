#include "server/standby/ledger_page.hpp"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include <stdexcept>

#include "base/hex.hpp"
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

Status append_rows(Ledger& ledger, const Page& page) {
  for (const Row& row : page.rows) {
    const LedgerRow raw{row.seq, row.at, row.kind, row.sweep, row.body};
    if (auto appended = ledger.append_row(raw, bytes_of_hex(row.link)); !appended)
      return refuse(appended.error().code,
                    appended.error().detail +
                        (page.version == HONE_VERSION
                             ? std::string("; move the data folder of this standby away and start "
                                           "it with a new one")
                             : "; the primary is hone " + page.version +
                                   ", this standby " HONE_VERSION ": upgrade the standby first"));
  }
  for (const Point& point : page.points)
    ledger.append_metrics(point.run, point.at, {{point.name, point.step, point.value}});
  ledger.flush();
  return Done{};
}

Error contradiction(const std::exception& why) {
  return refuse(Code::invalid,
                std::string("the primary's events contradict each other: ") + why.what());
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

Status append_page(Ledger& ledger, const Page& page) {
  try {
    return append_rows(ledger, page);
  } catch (const SQLite::Exception& trouble) {
    // What no event of decide would cause. Any other is the disk.
    const int code = trouble.getErrorCode() & 0xff;
    if (code != SQLITE_CONSTRAINT && code != SQLITE_MISMATCH && code != SQLITE_TOOBIG) throw;
    return contradiction(trouble);
  } catch (const std::runtime_error& trouble) {
    return contradiction(trouble);
  }
}

}  // namespace hone::standby
