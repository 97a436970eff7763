// The parts of a check. Internal to server/upkeep.
#pragma once

#include <SQLiteCpp/Database.h>

#include "server/upkeep/upkeep.hpp"

namespace hone {
class DataFolder;
}

namespace hone::upkeep {

using Findings = std::vector<Finding>;

// check_ledger.cpp: the events, the snapshot, the query tables.
Findings check_ledger(SQLite::Database& db, const std::filesystem::path& snapshot,
                      const Progress& progress);

// Whether an event still has the link that a user kept.
Finding check_kept(SQLite::Database& db, const KeptLink& kept);

// check_blobs.cpp: the blobs of models exist and have their digest; other blobs are counted.
Findings check_blobs(SQLite::Database& db, const std::filesystem::path& blobs,
                     const Progress& progress);

// Removes what was written next to the ledger for the events that were there before some were taken
// out. `last`: the newest event that stays.
void forget_earlier(const DataFolder& folder, std::int64_t last);

// The file of a digest in a folder of blobs.
std::filesystem::path blob_file(const std::filesystem::path& blobs, const std::string& sha256);

// A blob that a model names.
struct BlobRow {
  std::string sha256;
  std::int64_t bytes = 0;
};
std::vector<BlobRow> kept_blobs(SQLite::Database& db);

// Patches and package lists that workflows name; clients need not have sent them.
std::vector<std::string> workflow_blobs(SQLite::Database& db);

// Opens hone.db of the folder for reading. Refuses (not_found) a folder without one.
Result<std::unique_ptr<SQLite::Database>> open_folder(const std::filesystem::path& folder);

}  // namespace hone::upkeep
