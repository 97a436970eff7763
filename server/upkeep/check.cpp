#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include "db/file/database.hpp"
#include "db/file/migrate.hpp"
#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {
namespace {

Finding check_file(SQLite::Database& db) {
  SQLite::Statement rows(db, "PRAGMA integrity_check(5)");
  std::string text;
  while (rows.executeStep()) text += (text.empty() ? "" : "; ") + rows.getColumn(0).getString();
  if (text == "ok") return {"file", Health::ok, "every page and index is intact"};
  return {"file", Health::fail, text + ": restore a backup"};
}

Finding check_keys(SQLite::Database& db) {
  const auto broken = db.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt64();
  if (broken == 0) return {"foreign keys", Health::ok, "every row has its parent"};
  return {"foreign keys", Health::fail, std::to_string(broken) + " rows without their parent"};
}

void append(Findings& all, Findings more) {
  for (auto& one : more) all.push_back(std::move(one));
}

}  // namespace

Result<std::unique_ptr<SQLite::Database>> open_folder(const std::filesystem::path& folder) {
  std::error_code trouble;
  if (!std::filesystem::exists(folder / "hone.db", trouble))
    return refuse(Code::not_found, "there is no hone.db in '" + folder.string() +
                                       "': name the data folder with --data");
  return open_for_reading((folder / "hone.db").string());
}

bool is_older(const std::filesystem::path& folder) {
  const auto db = open_folder(folder);
  if (!db) return false;
  try {
    return needs_upgrade(**db);
  } catch (const SQLite::Exception&) {
    return false;  // hone db check names what is wrong
  }
}

Result<std::vector<Finding>> check(const std::filesystem::path& folder,
                                   const std::optional<KeptLink>& kept, const Progress& progress) {
  const auto db = open_folder(folder);
  if (!db) return db.error();
  try {
    const Snapshot snapshot(**db);
    Findings findings{check_file(**db)};
    // Further checks of a damaged file would prove nothing.
    if (findings.front().health == Health::fail) return findings;
    findings.push_back(check_keys(**db));
    if (needs_upgrade(**db))
      findings.push_back(
          {"schema", Health::warn,
           "of an older hone: run hone db upgrade to check events and query tables"});
    else
      append(findings, check_ledger(**db, folder / "book.snapshot", progress));
    if (!needs_upgrade(**db))
      if (auto backed_up = check_kept_head(**db, folder); !backed_up)
        findings.push_back({"backup", Health::fail, backed_up.error().detail});
    if (kept)
      findings.push_back(needs_upgrade(**db) ? Finding{"kept link", Health::fail,
                                                       "not compared: run hone db upgrade"}
                                             : check_kept(**db, *kept));
    append(findings, check_blobs(**db, folder / "blobs", progress));
    return findings;
  } catch (const SQLite::Exception& trouble) {
    return Findings{{"file", Health::fail, std::string(trouble.what()) + ": restore a backup"}};
  }
}

}  // namespace hone::upkeep
