// The Book on the disk, so that a boot replays only the events since. A snapshot is never the
// truth: one that is damaged, of another ledger, of other sources or of a Book that it does not
// give back is ignored, and the whole ledger is replayed.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.hpp"
#include "server/engine/restored.hpp"

namespace hone {

// `event` is the ledger's row `seq` as event_text gives it: what ties a snapshot to its ledger.
std::string snapshot_text(const Book& book, std::int64_t seq, std::string_view event,
                          std::string_view stamp);

// Refuses (invalid), with the reason, a snapshot that must not be used.
Result<Restored> restore(std::string_view text, SQLite::Database& db, std::string_view stamp);

// The snapshot of a data folder. Belongs to the engine's thread.
class SnapshotFile {
 public:
  SnapshotFile(std::filesystem::path file, SQLite::Database& db)
      : file_(std::move(file)), db_(db) {}
  ~SnapshotFile() { finish(); }

  // not_found where there is none; else as restore().
  Result<Restored> load();

  // Between two batches. Writes one when enough was added since the last, on a thread of its own;
  // `last`: when anything worth it was added, and returns when it is on the disk. A disk that
  // refuses leaves the one before.
  void consider(const Book& book, std::int64_t seq, bool last);

 private:
  void finish();

  std::filesystem::path file_;
  SQLite::Database& db_;
  std::int64_t saved_seq_ = 0;
  std::thread writing_;
};

}  // namespace hone
