#include "tests/faultfs/older.hpp"

#include <SQLiteCpp/Statement.h>

#include "db/file/database.hpp"
#include "db/ledger/ledger.hpp"
#include "tests/faultfs/life.hpp"
#include "tests/unit/db/given.hpp"
#include "tests/unit/db/storm.hpp"

namespace hone::faultfs {
namespace {

struct Step {
  std::string_view name;
  std::string_view sha256;
  std::string_view sql;
};
constexpr Step steps[] = {
#include "migrations.inc"
};
constexpr auto newest = static_cast<int>(std::size(steps));

using Rows = std::vector<std::string>;

Rows ledger_rows(SQLite::Database& db) {
  SQLite::Statement query(db, "SELECT seq, at, kind, body FROM event ORDER BY seq");
  Rows rows;
  while (query.executeStep())
    rows.push_back(query.getColumn(0).getString() + query.getColumn(1).getString() +
                   query.getColumn(2).getString() + query.getColumn(3).getString());
  return rows;
}

int schema(SQLite::Database& db) { return db.execAndGet("PRAGMA user_version").getInt(); }

// Writes the file as the program of that schema left it: the events of a random history, without
// rows of query tables, which are rebuilt.
Rows write_older(std::uint64_t seed) {
  auto now = open_for_writing(":memory:");
  FedLedger fed(**now);
  Storm(seed, [&](const Command& c, Instant at) { return fed.perform(c, at); }).blow(60);
  SQLite::Database old("hone.db", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  old.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN;"
      "PRAGMA application_id = 1752133221; CREATE TABLE migration"
      " (version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT");
  const int version = 1 + static_cast<int>(seed % static_cast<std::uint64_t>(newest - 1));
  for (int i = 0; i < version; ++i) {
    old.exec(std::string(steps[i].sql));
    SQLite::Statement row(old, "INSERT INTO migration VALUES (?, ?, ?)");
    row.bind(1, i + 1);
    row.bind(2, std::string(steps[i].name));
    row.bind(3, std::string(steps[i].sha256));
    row.exec();
  }
  old.exec("PRAGMA user_version = " + std::to_string(version));
  SQLite::Statement from(**now, "SELECT seq, at, kind, sweep, body FROM event ORDER BY seq");
  SQLite::Statement into(old,
                         "INSERT INTO event (seq, at, kind, sweep, body) VALUES (?, ?, ?, ?, ?)");
  while (from.executeStep()) {
    into.reset();
    into.bind(1, from.getColumn(0).getInt64());
    into.bind(2, from.getColumn(1).getInt64());
    into.bind(3, from.getColumn(2).getString());
    if (from.isColumnNull(3))
      into.bind(4);
    else
      into.bind(4, from.getColumn(3).getInt64());
    into.bind(5, from.getColumn(4).getString());
    into.exec();
  }
  old.exec("COMMIT");
  return ledger_rows(old);
}

std::string check_upgraded(SQLite::Database& db, const Rows& before, const Upgrade& upgrade) {
  if (schema(db) != newest) return "an upgrade stopped half way";
  if (ledger_rows(db) != before) return "an upgrade changed the ledger";
  const std::string projected = projection_text(db);
  rebuild_projection(db);
  if (projection_text(db) != projected)
    return "an upgrade left query tables that a rebuild changes";
  if (upgrade.from == 0) return {};  // the first try was complete
  SQLite::Database backup(upgrade.backup, SQLite::OPEN_READONLY);
  if (schema(backup) != upgrade.from) return "the backup is not of the older schema";
  if (ledger_rows(backup) != before) return "the backup has another ledger";
  return {};
}

}  // namespace

std::int64_t upgrade_operations(std::uint64_t seed) {
  Disk disk(seed);
  write_older(seed);
  const std::int64_t begin = disk.operations();
  static_cast<void>(open_for_writing("hone.db"));
  return disk.operations() - begin;
}

std::string upgrade_with(std::uint64_t seed, std::int64_t at, Fault fault) {
  Disk disk(seed);
  const Rows before = write_older(seed);
  disk.fail_at(disk.operations() + at, fault);
  {
    const auto tried = open_for_writing("hone.db");
    disk.stop(Fault::kill);
  }
  disk.restart();
  disk.free_space();
  disk.fail_at(-1, Fault::none);
  Upgrade upgrade;
  const auto again = open_for_writing("hone.db", &upgrade);
  if (!again) return "the file does not open any more: " + again.error().detail;
  return check_upgraded(**again, before, upgrade);
}

}  // namespace hone::faultfs
