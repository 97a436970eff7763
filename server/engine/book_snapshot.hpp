// A copy of the Book on the disk, so that a boot replays only the events after it. The ledger stays
// the truth: a snapshot that is damaged, of another ledger, of another build or that does not
// reproduce its Book is ignored, and the whole ledger is replayed.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.hpp"

namespace hone {

struct Book;
struct Restored;

// `event` is row `seq` of the ledger (event_text). It ties the snapshot to this ledger.
std::string snapshot_text(const Book& book, std::int64_t seq, std::string_view event,
                          std::string_view stamp);

// Refuses (invalid), with the reason, a snapshot that must be ignored.
Result<Restored> restore(std::string_view text, SQLite::Database& db, std::string_view stamp);

// The snapshot of a data folder. Used on the engine's thread.
class SnapshotFile {
 public:
  SnapshotFile(std::filesystem::path file, SQLite::Database& db);
  ~SnapshotFile();

  // Reads the file for take(). Answers the last event in it. Refuses (not_found) if there is none,
  // else as restore().
  Result<std::int64_t> read();

  // What was read, once. An empty Book if nothing was.
  Restored take();

  // Call between two batches, with the bytes of events that this process has read or appended.
  // Writes a snapshot on another thread when there are enough since the last one. With `last`,
  // fewer are enough, and it returns when the snapshot is on the disk. If writing fails, the older
  // snapshot stays.
  void consider(const Book& book, std::int64_t seq, std::int64_t bytes, bool last);

 private:
  void finish();

  std::filesystem::path file_;
  SQLite::Database& db_;
  std::unique_ptr<Restored> read_;
  std::int64_t saved_bytes_ = 0;
  std::int64_t size_ = 0;  // of the newest snapshot
  std::thread writing_;
};

}  // namespace hone
