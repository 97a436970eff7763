// The newest acknowledged event, kept outside the database: a log (WAL) that was cut short or
// removed leaves an intact database of an earlier time, which SQLite opens silently.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>

#include "base/files.hpp"
#include "base/result.hpp"

namespace hone {

class HighWater {
 public:
  // Opens DATA/ledger.mark and creates it if it is missing. Refuses (invalid) if it cannot.
  static Result<HighWater> open(const std::filesystem::path& folder);

  // Refuses (conflict) a database whose ledger ends before the mark. Call it before the database is
  // opened for writing, which would discard a damaged log. A database without events is checked
  // too; a missing file is a new ledger if there is no mark.
  [[nodiscard]] Status check(const std::filesystem::path& database) const;

  // Records that events up to `seq` are committed. Not synced: after a power cut the mark may be
  // older, never newer, than the ledger. Ignores a failure: the ledger does not depend on it.
  void advance(std::int64_t seq) const;

 private:
  HighWater(FileHandle file, std::int64_t seq) : file_(std::move(file)), seq_(seq) {}
  FileHandle file_;
  std::int64_t seq_;  // as found at the start
};

// Runs SQLite's quick_check, which cannot be interrupted within a table. Refuses (invalid) a
// damaged database; returns false if it has more than `bytes_max` and was not checked.
Result<bool> quick_check(SQLite::Database& db, std::int64_t bytes_max);

}  // namespace hone
