#include "db/file/database.hpp"

#include <SQLiteCpp/Exception.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
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

std::string pid_in(int lock) {
  char words[32] = {};
  const auto got = pread(lock, words, sizeof words - 1, 0);
  std::string pid(words, got > 0 ? static_cast<std::size_t>(got) : 0);
  while (!pid.empty() && pid.back() == '\n') pid.pop_back();
  return pid.empty() ? "an unknown process" : "process " + pid;
}

bool write_pid(int lock) {
  const auto pid = std::to_string(getpid()) + "\n";
  return ftruncate(lock, 0) == 0 &&
         pwrite(lock, pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size());
}

// The message to the user when SQLite cannot use the file.
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

// A new folder is durable once its parent is synced.
bool sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = fsync(descriptor) == 0;
  close(descriptor);
  return synced;
}

// Creates the folder and its missing parents, and syncs each into its parent.
bool make_folder(const std::filesystem::path& folder, std::error_code& trouble) {
  if (std::filesystem::is_directory(folder, trouble)) return true;
  const auto parent = folder.parent_path();
  if (!parent.empty() && !make_folder(parent, trouble)) return false;
  std::filesystem::create_directory(folder, trouble);
  if (trouble) return false;
  if (sync_folder(parent.empty() ? "." : parent)) return true;
  trouble = {errno, std::generic_category()};
  return false;
}

}  // namespace

Result<DataFolder> DataFolder::open(const std::filesystem::path& path) {
  std::error_code trouble;
  if (!make_folder(path / "blobs", trouble)) return cannot_use(path, trouble.message());
  const auto file = path / "lock";
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return cannot_use(path, std::strerror(errno));
  DataFolder folder(path, lock);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return cannot_use(path, std::strerror(errno));
    return refuse(Code::conflict, "another hone server (" + pid_in(lock) +
                                      ") uses the data folder '" + path.string() +
                                      "': stop it or choose another with --data");
  }
  if (!write_pid(lock)) return cannot_use(path, std::strerror(errno));
  return folder;
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

DataFolder& DataFolder::operator=(DataFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

// Keeps the lock file: if it were removed, two servers could lock two files of the same name.
DataFolder::~DataFolder() {
  if (lock_ >= 0) close(lock_);
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
