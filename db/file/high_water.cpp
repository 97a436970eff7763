#include "db/file/high_water.hpp"

#include <SQLiteCpp/Exception.h>
#include <fcntl.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string>

#include "db/file/database.hpp"
#include "db/file/migrate.hpp"
#include "db/queries/queries.hpp"

namespace hone {
namespace {

// "event 000000000000000605\n": of one length, so that a write replaces the whole.
constexpr std::size_t mark_bytes = 25;
constexpr std::size_t prefix_bytes = 6;

std::int64_t read_mark(const FileHandle& file) {
  std::array<char, mark_bytes> text{};
  if (::pread(file.fd(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return 0;
  std::int64_t seq = 0;
  std::from_chars(text.data() + prefix_bytes, text.data() + text.size(), seq);
  return seq;
}

}  // namespace

Result<HighWater> HighWater::open(const std::filesystem::path& folder) {
  const auto path = folder / "ledger.mark";
  FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return refuse(Code::invalid, "cannot write '" + path.string() + "'");
  const std::int64_t seq = read_mark(file);
  return HighWater(std::move(file), seq);
}

Status HighWater::check(const std::filesystem::path& database) const {
  if (seq_ == 0) return Done{};
  std::int64_t last = 0;
  if (std::error_code missing; std::filesystem::exists(database, missing)) {
    const auto db = open_for_reading(database.string());
    if (!db) return db.error();
    try {
      last = schema_of(**db) == 0 ? 0 : last_seq(**db);
    } catch (const SQLite::Exception& trouble) {
      return refuse(Code::invalid, "'" + database.string() + "' is damaged (" + trouble.what() +
                                       "): restore it from a backup");
    }
  }
  if (last >= seq_) return Done{};
  const std::string folder = database.parent_path().string();
  return refuse(
      Code::conflict,
      "the ledger in '" + folder + "' ends with event " + std::to_string(last) + ", but event " +
          std::to_string(seq_) +
          " was acknowledged: hone.db-wal was damaged or removed, or hone.db is an older copy. Put "
          "the missing file back, or restore a backup. To continue without the lost events, move "
          "'" +
          folder + "/ledger.mark' away; 'hone db check --data " + folder + "' lists what is left");
}

void HighWater::advance(std::int64_t seq) const {
  std::array<char, mark_bytes + 1> text{};
  std::snprintf(text.data(), text.size(), "event %018lld\n", static_cast<long long>(seq));
  [[maybe_unused]] const auto written = ::pwrite(file_.fd(), text.data(), mark_bytes, 0);
}

Result<bool> quick_check(SQLite::Database& db, std::int64_t bytes_max) {
  const auto damaged = [&](const std::string& what) {
    return refuse(Code::invalid, "'" + db.getFilename() + "' is damaged (" + what +
                                     "): restore a backup; 'hone db check' lists the damage, and "
                                     "'sqlite3 FILE .recover' saves what can be read");
  };
  try {
    const auto pages = db.execAndGet("PRAGMA page_count").getInt64();
    if (pages * db.execAndGet("PRAGMA page_size").getInt64() > bytes_max) return false;
    const auto found = db.execAndGet("PRAGMA quick_check(1)").getString();
    if (found != "ok") return damaged(found);
  } catch (const SQLite::Exception& trouble) {
    return damaged(trouble.what());
  }
  return true;
}

}  // namespace hone
