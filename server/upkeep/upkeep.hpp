// What `hone db` does to a data folder: look it through, copy it, bring it to the newest schema.
// The first two work while a server runs on it.
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

// Told often: what is being done, and how far it is ("events", "pages", "blobs").
using Progress = std::function<void(std::string_view unit, std::int64_t done, std::int64_t total)>;

enum class Health { ok, warn, fail };

struct Finding {
  std::string what;  // "ledger", "blobs", ...
  Health health = Health::ok;
  std::string detail;
};

// Reads everything: the file's own consistency, each event, the Book that snapshot and tail give
// against that of a full replay, the query tables against folded ones, every blob's digest. As of
// one instant; changes nothing. Refuses where there is no database that can be read at all.
Result<std::vector<Finding>> check(const std::filesystem::path& folder, const Progress& progress);

struct BackupReport {
  std::filesystem::path folder;
  std::int64_t events = 0;
  std::int64_t blobs = 0;
  std::int64_t bytes = 0;  // of all files
};

// Copies the folder to `to`, which must not exist: a data folder that a server can be started on.
// The database as of one instant, then the blobs that its models name. Until it is whole and synced
// the copy has the name `to`.partial.
Result<BackupReport> back_up(const std::filesystem::path& folder, const std::filesystem::path& to,
                             bool with_blobs, const Progress& progress);

struct UpgradeReport {
  int from = 0;  // 0: it had the newest schema
  int to = 0;
  std::string backup;  // the file as it was
};

// Refuses (conflict) while a server runs on the folder.
Result<UpgradeReport> upgrade(const std::filesystem::path& folder);

// Adds a token to a folder on which no server runs: the way back in for whoever lost the last
// administrator's. Refuses (conflict) while one does, and what the server itself would refuse.
Result<TokenId> create_token(const std::filesystem::path& folder,
                             const CreateTokenRequest& request);

}  // namespace hone::upkeep
