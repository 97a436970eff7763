#include "db/ledger/leave_out.hpp"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <string>

#include "db/ledger/chain.hpp"
#include "db/ledger/ledger.hpp"
#include "db/sql.hpp"

namespace hone {
namespace {

std::string text_of(SQLite::Database& db, const std::string& trigger) {
  SQLite::Statement row(db, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?");
  row.bind(1, trigger);
  return row.executeStep() ? row.getColumn(0).getString() : "";
}

// Moves the events from the first removed one on to a table of this connection, without those.
void take_events(SQLite::Database& db, const std::set<std::int64_t>& events) {
  db.exec("CREATE TEMP TABLE removed_event (seq INTEGER PRIMARY KEY)");
  SQLite::Statement add(db, "INSERT INTO removed_event VALUES (?)");
  for (const std::int64_t seq : events) sql::run(add, seq);
  db.exec(
      "CREATE TEMP TABLE kept_event AS SELECT seq, at, kind, sweep, body FROM event WHERE seq >="
      " (SELECT min(seq) FROM removed_event) AND seq NOT IN (SELECT seq FROM removed_event)");
  const std::string trigger = text_of(db, "event_stays");
  if (!trigger.empty()) db.exec("DROP TRIGGER event_stays");
  db.exec("DELETE FROM event WHERE seq >= (SELECT min(seq) FROM removed_event)");
  if (!trigger.empty()) db.exec(trigger);
}

// Events of a hone without the chain stay without links, as long as none before them has one.
void put_events(SQLite::Database& db) {
  SQLite::Statement rows(db, "SELECT at, kind, sweep, body FROM kept_event ORDER BY seq");
  SQLite::Statement append(db,
                           "INSERT INTO event (seq, at, kind, sweep, body, link)"
                           " VALUES (?, ?, ?, ?, ?, ?)");
  std::int64_t seq = Ledger(db).last_seq();
  Link link = link_of(db, seq);
  while (rows.executeStep()) {
    sql::Columns c(rows);
    LedgerRow row;
    row.seq = ++seq;
    row.at = c.instant();
    row.kind = c.view();
    row.sweep = c.maybe(&sql::Columns::id<SweepId>);
    row.body = c.view();
    link = next_link(link, row);
    sql::run(append, row.seq, row.at, row.kind, row.sweep, row.body, sql::Bytes(link));
  }
}

}  // namespace

void leave_out(SQLite::Database& db, const std::set<std::int64_t>& events) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  take_events(db, events);
  put_events(db);
  refold(db);
  for (const char* table : {"metric_point", "metric_last"})
    db.exec("DELETE FROM " + std::string(table) +
            " WHERE (trial, replicate) NOT IN (SELECT trial, replicate FROM run)");
  db.exec("DELETE FROM ended_sweep");
  db.exec("DELETE FROM quarantine");
  transaction.commit();
  db.exec("DROP TABLE kept_event");
  db.exec("DROP TABLE removed_event");
}

}  // namespace hone
