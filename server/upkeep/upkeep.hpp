// `hone db`: checks, backs up and upgrades a data folder. The first two work while a server runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/wire.hpp"

namespace hone::upkeep {

// Called often with the unit of work ("events", "pages", "blobs") and the progress.
using Progress = std::function<void(std::string_view unit, std::int64_t done, std::int64_t total)>;

enum class Health { ok, warn, fail };

struct Finding {
  std::string what;  // "ledger", "blobs", ...
  Health health = Health::ok;
  std::string detail;
};

// Checks the consistency of the file, each event, the snapshot against a full replay, the query
// tables against a rebuild, and the digest of every blob, as of one instant. Changes nothing.
// Refuses a folder whose database cannot be opened.
Result<std::vector<Finding>> check(const std::filesystem::path& folder, const Progress& progress);

struct BackupReport {
  std::filesystem::path folder;
  std::int64_t events = 0;
  std::int64_t blobs = 0;
  std::int64_t bytes = 0;  // of all files
};

// Copies the folder to `to`, which must not exist, as a data folder for a server: the database as
// of one instant, then the blobs that its models name. The copy is named `to`.partial until it is
// complete and synced.
Result<BackupReport> back_up(const std::filesystem::path& folder, const std::filesystem::path& to,
                             bool with_blobs, const Progress& progress);

struct UpgradeReport {
  int from = 0;  // 0: it has the newest schema
  int to = 0;
  std::string backup;  // a copy of the old file
};

// Refuses (conflict) while a server runs on the folder.
Result<UpgradeReport> upgrade(const std::filesystem::path& folder);

// Adds a token to a folder without a running server, for a user who lost the last administrator's
// token. Refuses (conflict) while a server runs, and what the server itself would refuse.
Result<TokenId> create_token(const std::filesystem::path& folder,
                             const CreateTokenRequest& request);

}  // namespace hone::upkeep
