#include "db/file/database.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <string>
#include <utility>

#include "db/file/backup.hpp"
#include "db/file/migrate.hpp"

namespace hone {
namespace {

constexpr int one_thread = SQLITE_OPEN_NOMUTEX;  // uses a connection at a time: no locks
constexpr int busy_ms = 5000;  // a checkpoint or an sqlite3 shell may hold the file this long

Error cannot_use(const std::filesystem::path& path, const std::string& why) {
  return refuse(Code::invalid, "cannot use '" + path.string() + "' as the data folder: " + why +
                                   "; choose another with --data");
}

// The one sentence a user gets when SQLite cannot work with the file.
Error explain(const std::string& file, const SQLite::Exception& trouble) {
  switch (trouble.getErrorCode() & 0xff) {
    case SQLITE_NOTADB:
      return refuse(Code::invalid, "'" + file +
                                       "' is not a hone database (not an SQLite file): "
                                       "use another --data or restore it from a backup");
    case SQLITE_CORRUPT:
      return refuse(Code::invalid, "'" + file + "' is damaged (" + trouble.what() +
                                       "): restore it from a backup, or save what can be read with "
                                       "'sqlite3 FILE .recover'");
    case SQLITE_BUSY:
      return refuse(
          Code::conflict,
          "'" + file + "' is in use by another program that writes to it: close that program");
    default:
      return refuse(Code::invalid,
                    "cannot open '" + file + "': " + trouble.what() +
                        "; check that it exists, its permissions and the free space");
  }
}

void set_up_writing(SQLite::Database& db) {
  db.exec("PRAGMA foreign_keys = ON");
  db.exec("PRAGMA recursive_triggers = ON");  // so that REPLACE does not delete an event unasked
  // Sets and returns the mode; ':memory:' has no journal file and stays 'memory'.
  db.execAndGet("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = FULL");  // a commit that was answered survives a power cut
  // 64 MiB: the index of ranks is written all over, and every page that is read again costs time.
  db.exec("PRAGMA cache_size = -65536");
  // 32 MiB, and not the usual 4: a checkpoint syncs twice, and the pages that are written again
  // and again go to the file once.
  db.exec("PRAGMA wal_autocheckpoint = 8192");
  // The server before may have ended because a sync failed. What it had written can then still be
  // read, though it never reaches the disk, and commits behind it would be lost with it: written
  // again into the database, and synced, it is safe. A reader in the way leaves it for later.
  db.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
}

// An upgrade cannot be undone but by going back to a copy.
Status keep_older(SQLite::Database& db, const std::string& file, Upgrade* upgraded) {
  if (!needs_upgrade(db)) return Done{};
  const auto backup = back_up_beside(db, file);
  if (!backup)
    return refuse(Code::unavailable,
                  "'" + file + "' has the older schema " + std::to_string(schema_of(db)) +
                      " and is not upgraded without a backup: " + backup.error().detail);
  if (upgraded != nullptr) *upgraded = {schema_of(db), newest_schema(), *backup};
  return Done{};
}

}  // namespace

Result<DataFolder> DataFolder::open(const std::filesystem::path& path) {
  if (auto made = make_durable_folder(path / "blobs"); !made)
    return cannot_use(path, made.error().detail);
  auto lock = lock_file(path / "lock");
  if (!lock && lock.error().code == Code::conflict)
    return refuse(Code::conflict, "another hone server (" + lock.error().detail +
                                      ") uses the data folder '" + path.string() +
                                      "': stop it or choose another with --data");
  if (!lock) return cannot_use(path, lock.error().detail);
  if (auto recorded = record_pid(*lock); !recorded)
    return cannot_use(path, recorded.error().detail);
  return DataFolder(path, *std::move(lock));
}

Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::string& file,
                                                           Upgrade* upgraded) {
  try {
    auto db = std::make_unique<SQLite::Database>(
        file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | one_thread, busy_ms);
    if (auto ours = check_schema(*db); !ours) return ours.error();  // before anything is changed
    set_up_writing(*db);
    if (auto kept = keep_older(*db, file, upgraded); !kept) return kept.error();
    if (auto ready = migrate(*db); !ready) return ready.error();
    return db;
  } catch (const SQLite::Exception& trouble) {
    return explain(file, trouble);
  }
}

Result<std::unique_ptr<SQLite::Database>> open_for_reading(const std::string& file) {
  try {
    auto db = std::make_unique<SQLite::Database>(file, SQLite::OPEN_READONLY | one_thread, busy_ms);
    if (auto ours = check_schema(*db); !ours) return ours.error();
    return db;
  } catch (const SQLite::Exception& trouble) {
    return explain(file, trouble);
  }
}

}  // namespace hone
