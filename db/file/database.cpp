#include "db/file/database.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <string>
#include <utility>

#include "db/file/backup.hpp"
#include "db/file/migrate.hpp"

namespace hone {
namespace {

constexpr int one_thread = SQLITE_OPEN_NOMUTEX;  // no connection is used by two threads at once
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
  db.exec("PRAGMA recursive_triggers = ON");  // so that REPLACE cannot delete an event
  // Sets and returns the mode; ':memory:' has no journal file and stays 'memory'.
  db.execAndGet("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = FULL");  // a commit that was answered survives a power cut
  // 64 MiB, since writes touch every part of the index of ranks.
  db.exec("PRAGMA cache_size = -65536");
  // 32 MiB instead of 4: a checkpoint syncs twice, and writes a page once that many commits
  // changed.
  db.exec("PRAGMA wal_autocheckpoint = 8192");
  // The previous server may have ended after a failed sync. The pages it wrote can still be read
  // but may never reach the disk, and later commits would be lost with them. Writing and syncing
  // them again makes them safe. If a reader prevents this checkpoint, a later one does it.
  db.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
}

// Keeps a copy, which is the only way to undo an upgrade.
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

// Files of an older hone's data folder that other accounts could read.
void make_private(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::exists(folder / "hone.db", ignored)) return;
  fs::permissions(folder, fs::perms::owner_all, ignored);
  fs::permissions(folder / "blobs", fs::perms::owner_all, ignored);
  for (const char* name : {"hone.db", "hone.db-wal", "hone.db-shm", "book.snapshot", "lock"})
    fs::permissions(folder / name, fs::perms::owner_read | fs::perms::owner_write, ignored);
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
  make_private(path);
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
