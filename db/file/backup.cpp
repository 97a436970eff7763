#include "db/file/backup.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <memory>

#include "db/file/migrate.hpp"
#include "db/queries/queries.hpp"

namespace hone {
namespace {

constexpr int pages_per_step = 1024;  // 4 MiB

Error cannot_copy(const std::string& to, const std::string& why) {
  return refuse(Code::unavailable, "the backup '" + to + "' cannot be written: " + why +
                                       "; free space or choose another place");
}

struct Finish {
  void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
};

// Copies within a read transaction: otherwise every commit of the server would restart the copy.
Status copy(SQLite::Database& from, SQLite::Database& into, const std::string& to,
            const CopyProgress& progress) {
  const Snapshot snapshot(from);
  last_seq(from);  // the transaction begins with the first read
  const std::unique_ptr<sqlite3_backup, Finish> backup(
      sqlite3_backup_init(into.getHandle(), "main", from.getHandle(), "main"));
  if (!backup) return cannot_copy(to, into.getErrorMsg());
  int state = SQLITE_OK;
  while (state == SQLITE_OK) {
    state = sqlite3_backup_step(backup.get(), pages_per_step);
    const std::int64_t total = sqlite3_backup_pagecount(backup.get());
    if (progress) progress(total - sqlite3_backup_remaining(backup.get()), total);
  }
  if (state != SQLITE_DONE) return cannot_copy(to, sqlite3_errstr(state));
  return Done{};
}

// Whether `file` is an intact database whose last event is `seq`.
bool is_whole(const std::string& file, int schema, std::int64_t seq) {
  try {
    SQLite::Database db(file, SQLite::OPEN_READONLY);
    return schema_of(db) == schema && last_seq(db) == seq &&
           db.execAndGet("PRAGMA quick_check(1)").getString() == "ok";
  } catch (const SQLite::Exception&) {
    return false;
  }
}

}  // namespace

Status copy_database(SQLite::Database& from, const std::string& to, const CopyProgress& progress) {
  try {
    SQLite::Database into(to, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    into.exec("PRAGMA synchronous = EXTRA");  // syncs the folder after the journal is deleted, too
    return copy(from, into, to, progress);
  } catch (const SQLite::Exception& trouble) {
    return cannot_copy(to, trouble.what());
  }
}

Result<std::string> back_up_beside(SQLite::Database& db, const std::string& file) {
  const int schema = schema_of(db);
  const std::int64_t seq = last_seq(db);
  const std::string to =
      file + ".schema" + std::to_string(schema) + "-event" + std::to_string(seq) + ".backup";
  if (is_whole(to, schema, seq)) return to;
  if (auto copied = copy_database(db, to, {}); !copied) return copied.error();
  if (is_whole(to, schema, seq)) return to;
  return cannot_copy(to, "its copy cannot be read back");
}

}  // namespace hone
