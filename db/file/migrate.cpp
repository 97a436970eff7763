#include "db/file/migrate.hpp"

#include <SQLiteCpp/Transaction.h>

#include <array>
#include <string>

#include "db/ledger/ledger.hpp"
#include "db/sql.hpp"

namespace hone {
namespace {

struct Migration {
  std::string_view name;
  std::string_view sha256;  // of the file
  std::string_view sql;
};

constexpr Migration migrations[] = {
#include "migrations.inc"
};
constexpr int newest = static_cast<int>(std::size(migrations));

constexpr int application_id = 0x686f6e65;  // "hone"

int pragma(SQLite::Database& db, const std::string& name) {
  return db.execAndGet("PRAGMA " + name).getInt();
}

bool is_empty(SQLite::Database& db) {
  return db.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
}

// The applied migrations must be those of this program: a file that was changed by other SQL under
// the same number would be misread.
Status check_applied(SQLite::Database& db, int version) {
  SQLite::Statement applied(db, "SELECT name, sha256 FROM migration ORDER BY version");
  int count = 0;
  for (; applied.executeStep(); ++count) {
    sql::Columns c(applied);
    const auto name = c.text();
    if (count < newest && name == migrations[count].name && c.text() == migrations[count].sha256)
      continue;
    return refuse(
        Code::invalid,
        "schema step " + std::to_string(count + 1) + " ('" + name +
            "') of this data folder differs from that of this hone: a modified hone wrote "
            "it; use that one or another --data");
  }
  if (count == version) return Done{};
  return refuse(Code::invalid, "this data folder says schema " + std::to_string(version) +
                                   " but lists " + std::to_string(count) +
                                   " steps: restore it from a backup or use another --data");
}

void apply(SQLite::Database& db, int version) {
  const auto& step = migrations[version - 1];
  if (version == 1) {
    db.exec("PRAGMA application_id = " + std::to_string(application_id));
    db.exec(
        "CREATE TABLE migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, "
        "sha256 TEXT NOT NULL) STRICT");
  }
  db.exec(std::string(step.sql));
  SQLite::Statement record(db, "INSERT INTO migration (version, name, sha256) VALUES (?, ?, ?)");
  sql::run(record, version, step.name, step.sha256);
  db.exec("PRAGMA user_version = " + std::to_string(version));
}

}  // namespace

int newest_schema() { return newest; }

Status check_schema(SQLite::Database& db) {
  const int version = pragma(db, "user_version");
  if (version == 0 && is_empty(db)) return Done{};
  if (pragma(db, "application_id") != application_id)
    return refuse(
        Code::invalid,
        "the file is an SQLite database of another program, not hone's: use another --data");
  if (version > newest)
    return refuse(Code::conflict, "this data folder was written by a newer hone (schema " +
                                      std::to_string(version) + "; this one supports up to " +
                                      std::to_string(newest) +
                                      "): upgrade hone or use another --data");
  return check_applied(db, version);
}

Status migrate(SQLite::Database& db) {
  if (auto ours = check_schema(db); !ours) return ours;
  const int version = pragma(db, "user_version");
  if (version == newest) return Done{};
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  for (int next = version + 1; next <= newest; ++next) apply(db, next);
  if (version > 0) refold(db);
  transaction.commit();
  return Done{};
}

bool needs_upgrade(SQLite::Database& db) {
  const int version = schema_of(db);
  return version > 0 && version < newest;
}

int schema_of(SQLite::Database& db) { return pragma(db, "user_version"); }

}  // namespace hone
