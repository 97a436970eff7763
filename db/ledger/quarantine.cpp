// The sweeps that a start cannot read.
#include <SQLiteCpp/Transaction.h>

#include <nlohmann/json.hpp>

#include "db/ledger/ledger.hpp"
#include "db/sql.hpp"
#include "schemas/codec/event_codec.hpp"

namespace hone {

Quarantine find_unreadable(SQLite::Database& db) {
  Quarantine found;
  SQLite::Statement rows(
      db, "SELECT seq, kind, body, sweep FROM event WHERE sweep IS NOT NULL ORDER BY seq");
  while (rows.executeStep()) {
    sql::Columns c(rows);
    const auto seq = c.integer();
    const auto kind = c.text();
    const auto document = parse_json(c.view());
    const auto body =
        document ? decode_event(kind, *document) : Result<EventBody>(document.error());
    if (!body)
      found.emplace(
          c.id<SweepId>(),
          Quarantined{seq, "event " + std::to_string(seq) + " (" + kind +
                               ") cannot be read: " + body.error().detail + " " + body.error().at});
  }
  return found;
}

std::optional<SweepId> sweep_of_event(SQLite::Database& db, std::int64_t seq) {
  SQLite::Statement row(db, "SELECT sweep FROM event WHERE seq = ?");
  sql::bind(row, seq);
  if (!row.executeStep() || row.isColumnNull(0)) return std::nullopt;
  return sql::Columns(row).id<SweepId>();
}

Quarantine read_quarantine(SQLite::Database& db) {
  Quarantine kept;
  SQLite::Statement rows(db, "SELECT sweep, event, why FROM quarantine");
  while (rows.executeStep()) {
    sql::Columns c(rows);
    const auto sweep = c.id<SweepId>();
    const auto event = c.integer();
    kept[sweep] = {event, c.text()};
  }
  return kept;
}

void keep_quarantine(SQLite::Database& db, const Quarantine& quarantine) {
  if (quarantine.empty() && read_quarantine(db).empty()) return;
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  db.exec("DELETE FROM quarantine");
  SQLite::Statement add(db, "INSERT INTO quarantine (sweep, event, why) VALUES (?, ?, ?)");
  for (const auto& [sweep, one] : quarantine) sql::run(add, sweep, one.event, one.why);
  transaction.commit();
}

}  // namespace hone
