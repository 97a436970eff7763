#include <SQLiteCpp/Statement.h>

#include <set>

#include "base/sha256.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {
namespace {

namespace fs = std::filesystem;

bool is_damaged(const fs::path& file, const std::string& digest) {
  const auto actual = digest_of_file(file.string());
  return !actual || actual->sha256 != digest;
}

// The digests of all files in the two-digit folders.
std::set<std::string> present(const fs::path& blobs) {
  std::set<std::string> digests;
  std::error_code trouble;
  for (const auto& folder : fs::directory_iterator(blobs, trouble)) {
    if (folder.path().filename().string().size() != 2) continue;
    for (const auto& file : fs::directory_iterator(folder.path(), trouble))
      digests.insert(folder.path().filename().string() + file.path().filename().string());
  }
  return digests;
}

std::string numbered(std::size_t count, const std::string& of, const std::string& first) {
  return std::to_string(count) + " " + of + (count > 0 ? " (" + first + ")" : "");
}

}  // namespace

fs::path blob_file(const fs::path& blobs, const std::string& sha256) {
  return blobs / sha256.substr(0, 2) / sha256.substr(2);
}

namespace {

// A file of an older hone lacks the columns of later migrations.
bool has_column(SQLite::Database& db, const char* table, const char* column) {
  SQLite::Statement s(db, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  s.bind(1, table);
  s.bind(2, column);
  return s.executeStep();
}

}  // namespace

std::vector<BlobRow> kept_blobs(SQLite::Database& db) {
  std::string from_here = "WHERE 1";
  // The checkpoints of an imported sweep are in its original data folder, and so is its code.
  if (has_column(db, "sweep", "imported_at"))
    from_here += " AND sweep NOT IN (SELECT id FROM sweep WHERE imported_at IS NOT NULL)";
  std::string kept = from_here;
  if (has_column(db, "model", "dropped_at")) kept += " AND dropped_at IS NULL";
  const bool artifacts = db.tableExists("artifact"), snapshots = db.tableExists("snapshot");
  SQLite::Statement rows(
      db, "SELECT sha256, max(bytes) FROM (SELECT sha256, bytes FROM model " + kept +
              (artifacts ? " UNION ALL SELECT sha256, bytes FROM artifact" : "") +
              (snapshots ? " UNION ALL SELECT sha256, bytes FROM snapshot " + from_here : "") +
              ") GROUP BY sha256");
  std::vector<BlobRow> blobs;
  while (rows.executeStep())
    blobs.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getInt64()});
  return blobs;
}

std::vector<std::string> workflow_blobs(SQLite::Database& db) {
  const bool environments = has_column(db, "workflow", "environment_sha256");
  SQLite::Statement rows(db,
                         std::string("SELECT patch_sha256 FROM workflow WHERE patch_sha256 <> ''") +
                             (environments ? " UNION SELECT environment_sha256 FROM workflow"
                                             " WHERE environment_sha256 <> ''"
                                           : ""));
  std::vector<std::string> digests;
  while (rows.executeStep()) digests.push_back(rows.getColumn(0).getString());
  return digests;
}

Findings check_blobs(SQLite::Database& db, const fs::path& blobs, const Progress& progress) {
  auto unnamed = present(blobs);
  const auto rows = kept_blobs(db);
  std::vector<std::string> missing, damaged;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& digest = rows[i].sha256;
    if (unnamed.erase(digest) == 0)
      missing.push_back(digest);
    else if (is_damaged(blob_file(blobs, digest), digest))
      damaged.push_back(digest);
    progress("blobs", static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(rows.size()));
  }
  for (const std::string& digest : workflow_blobs(db)) unnamed.erase(digest);
  Finding kept{"blobs", Health::ok,
               std::to_string(rows.size()) + " checkpoints and files of runs have their digest"};
  if (!missing.empty() || !damaged.empty())
    kept = {"blobs", Health::fail,
            numbered(missing.size(), "missing", missing.empty() ? "" : missing.front()) + ", " +
                numbered(damaged.size(), "damaged", damaged.empty() ? "" : damaged.front()) +
                ": restore them from a backup; runs that continue from them would fail"};
  return {kept,
          {"orphans", Health::ok,
           std::to_string(unnamed.size()) +
               " files that no kept checkpoint names; the server removes them in its time"}};
}

}  // namespace hone::upkeep
