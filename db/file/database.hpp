// The data folder and the one SQLite file in it. Schema and invariants: db/README.md.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/files.hpp"
#include "base/result.hpp"

namespace hone {

// The folder that `hone server --data` names: hone.db, blobs/, lock. Holds the lock for its
// lifetime, so that one server at a time uses the folder.
class DataFolder {
 public:
  // Creates the folder if it is missing. Refuses (conflict) when another server holds it, naming
  // its pid; refuses (invalid) when it cannot be created or written.
  static Result<DataFolder> open(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path database() const { return path_ / "hone.db"; }
  [[nodiscard]] std::filesystem::path snapshot() const { return path_ / "book.snapshot"; }
  [[nodiscard]] std::filesystem::path blobs() const { return path_ / "blobs"; }

 private:
  DataFolder(std::filesystem::path path, FileHandle lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  FileHandle lock_;
};

// The upgrade of an older file.
struct Upgrade {
  int from = 0;  // 0: nothing
  int to = 0;
  std::string backup;  // a copy of the file as it was
};

// Opens the write connection: WAL, synchronous=FULL, foreign keys. Migrates the file to the newest
// schema, after a backup of a file with an older one. ":memory:" is allowed (tests). Refuses
// (conflict) a file of a newer schema version, (invalid) a damaged or read-only file, and
// (unavailable) an upgrade whose backup fails. Every message names the remedy.
Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::string& file,
                                                           Upgrade* upgraded = nullptr);

// A read-only connection on the same file (WAL readers never block the writer).
Result<std::unique_ptr<SQLite::Database>> open_for_reading(const std::string& file);

}  // namespace hone
