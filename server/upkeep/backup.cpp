#include "db/file/backup.hpp"

#include <SQLiteCpp/Exception.h>

#include "base/files.hpp"
#include "db/file/database.hpp"
#include "db/file/migrate.hpp"
#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {
namespace {

namespace fs = std::filesystem;

Error cannot(const std::string& what, const fs::path& path, const std::string& why) {
  return refuse(Code::unavailable, "cannot " + what + " '" + path.string() + "': " + why);
}

Status sync_names(const fs::path& folder) {
  if (auto synced = sync_folder(folder); !synced)
    return cannot("sync", folder, synced.error().detail);
  return Done{};
}

Status copy_blobs(SQLite::Database& db, const fs::path& from, const fs::path& to,
                  const Progress& progress, BackupReport& report) {
  auto rows = kept_blobs(db);
  for (std::string& digest : workflow_blobs(db)) rows.push_back({std::move(digest), 0});
  for (const BlobRow& row : rows) {
    const fs::path source = blob_file(from, row.sha256), target = blob_file(to, row.sha256);
    std::error_code trouble;
    fs::create_directories(target.parent_path(), trouble);
    fs::copy_file(source, target, trouble);
    // The server has deleted it since: its sweep dropped it.
    if (trouble == std::errc::no_such_file_or_directory) continue;
    if (trouble) return cannot("copy the checkpoint", source, trouble.message());
    if (auto synced = sync_file(target); !synced)
      return cannot("sync", target, synced.error().detail);
    report.bytes += row.bytes;
    ++report.blobs;
    progress("blobs", report.blobs, static_cast<std::int64_t>(rows.size()));
  }
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator(to, ignored))
    if (auto synced = sync_names(folder.path()); !synced) return synced;
  return sync_names(to);
}

Status fill(SQLite::Database& db, const fs::path& folder, const fs::path& to, bool with_blobs,
            const Progress& progress, BackupReport& report) {
  const fs::path file = to / "hone.db";
  const auto pages = [&](std::int64_t done, std::int64_t total) { progress("pages", done, total); };
  if (auto copied = copy_database(db, file.string(), pages); !copied) return copied;
  // Blobs are chosen from the copy, since the original continues to change.
  const auto copy = open_for_reading(file.string());
  if (!copy) return copy.error();
  report.events = last_seq(**copy);
  report.head = head_text(**copy);
  report.quarantined = find_unreadable(**copy);
  if (!needs_upgrade(**copy)) report.quarantined.merge(read_quarantine(**copy));
  if (!report.head.empty())
    if (auto kept = replace_file(to / head_file, report.head + "\n", {}); !kept)
      return cannot("write", to / head_file, kept.error().detail);
  if (with_blobs) {
    auto copied = copy_blobs(**copy, folder / "blobs", to / "blobs", progress, report);
    if (!copied) return copied;
  }
  std::error_code ignored;
  report.bytes += static_cast<std::int64_t>(fs::file_size(file, ignored));
  return Done{};
}

}  // namespace

Result<BackupReport> back_up(const fs::path& folder, const fs::path& to, bool with_blobs,
                             const Progress& progress) {
  std::error_code trouble;
  if (fs::exists(to, trouble))
    return refuse(Code::conflict,
                  "'" + to.string() + "' exists already: a backup needs a new folder");
  const auto db = open_folder(folder);
  if (!db) return db.error();
  fs::path partial = to;
  partial += ".partial";
  fs::remove_all(partial, trouble);  // of an earlier try
  fs::create_directories(partial / "blobs", trouble);
  if (trouble) return cannot("make the folder", partial, trouble.message());
  fs::permissions(partial, fs::perms::owner_all, trouble);
  BackupReport report{to, 0, 0, 0, {}, {}};
  if (auto filled = fill(**db, folder, partial, with_blobs, progress, report); !filled)
    return filled.error();
  if (auto synced = sync_names(partial); !synced) return synced.error();
  fs::rename(partial, to, trouble);
  if (trouble) return cannot("name the backup", to, trouble.message());
  const auto parent = to.has_parent_path() ? to.parent_path() : fs::path(".");
  if (auto synced = sync_names(parent); !synced) return synced.error();
  return report;
}

Result<UpgradeReport> upgrade(const fs::path& folder) {
  if (const auto readable = open_folder(folder); !readable) return readable.error();
  const auto held = DataFolder::open(folder);
  if (!held) return held.error();
  Upgrade upgraded;
  const auto db = open_for_writing(held->database().string(), &upgraded);
  if (!db) return db.error();
  return UpgradeReport{upgraded.from, upgraded.to, upgraded.backup};
}

}  // namespace hone::upkeep
