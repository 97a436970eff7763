#include "db/database.hpp"

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

#include "db/migrate.hpp"

namespace hone {
namespace {

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
  // Sets and returns the mode; ':memory:' has no journal file and stays 'memory'.
  db.execAndGet("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = FULL");  // a commit that was answered survives a power cut
}

}  // namespace

Result<DataFolder> DataFolder::open(const std::filesystem::path& path) {
  std::error_code trouble;
  std::filesystem::create_directories(path / "blobs", trouble);
  if (trouble) return cannot_use(path, trouble.message());
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

// The lock file stays: removing it would let two servers hold locks on two files of the same name.
DataFolder::~DataFolder() {
  if (lock_ >= 0) close(lock_);
}

Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::string& file) {
  try {
    auto db = std::make_unique<SQLite::Database>(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                                 busy_ms);
    if (auto ours = check_schema(*db); !ours) return ours.error();  // before anything is changed
    set_up_writing(*db);
    if (auto ready = migrate(*db); !ready) return ready.error();
    return db;
  } catch (const SQLite::Exception& trouble) {
    return explain(file, trouble);
  }
}

Result<std::unique_ptr<SQLite::Database>> open_for_reading(const std::string& file) {
  try {
    auto db = std::make_unique<SQLite::Database>(file, SQLite::OPEN_READONLY, busy_ms);
    if (auto ours = check_schema(*db); !ours) return ours.error();
    return db;
  } catch (const SQLite::Exception& trouble) {
    return explain(file, trouble);
  }
}

}  // namespace hone
