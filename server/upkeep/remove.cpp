// Takes sweeps out of a data folder, with what the folder keeps for them.
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "db/file/backup.hpp"
#include "db/file/database.hpp"
#include "db/ledger/leave_out.hpp"
#include "db/ledger/ledger.hpp"
#include "db/queries/queries.hpp"
#include "schemas/types/ids.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {
namespace {

namespace fs = std::filesystem;

// How a sweep can depend on another one: a query for the sweeps that depend on ?1, which may name
// ?1 itself. A new way: a row here.
struct Bond {
  const char* how;
  const char* query;
};
constexpr Bond bonds[] = {
    {"confirms it", "SELECT id FROM sweep WHERE confirms = ?1"},
    {"is a fork of it", "SELECT id FROM sweep WHERE forked_from = ?1"},
    {"learned from it (search.warm_start)",
     "SELECT sweep.id FROM sweep, json_each(sweep.spec, '$.search.warm_start')"
     " WHERE json_each.value = 'sw_' || ?1"},
    {"repeats trials of it",
     "SELECT DISTINCT later.sweep FROM trial later JOIN trial earlier"
     " ON later.origin = earlier.id OR later.fork_trial = earlier.id WHERE earlier.sweep = ?1"},
};

std::vector<Dependent> dependents_of(SQLite::Database& db, SweepId sweep) {
  std::vector<Dependent> found;
  for (const Bond& bond : bonds) {
    SQLite::Statement rows(db, bond.query);
    rows.bind(1, sweep.value);
    while (rows.executeStep()) {
      const SweepId other{rows.getColumn(0).getInt64()};
      if (other != sweep && std::ranges::find(found, other, &Dependent::sweep) == found.end())
        found.push_back({other, sweep, bond.how});
    }
  }
  return found;
}

Result<RemovedSweep> described(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement row(db,
                        "SELECT name, ended_at IS NOT NULL, proposed, (SELECT count(*) FROM event"
                        " WHERE sweep = sw.id) FROM sweep sw WHERE id = ?1");
  row.bind(1, sweep.value);
  if (!row.executeStep()) return refuse(Code::not_found, "there is no sweep " + text(sweep));
  if (row.getColumn(1).getInt() == 0)
    return refuse(Code::conflict, text(sweep) +
                                      " has not ended: start the server and stop it with: "
                                      "hone stop --kill " +
                                      text(sweep));
  return RemovedSweep{sweep, row.getColumn(0).getString(), row.getColumn(2).getInt64(),
                      row.getColumn(3).getInt64()};
}

Result<RemovalPlan> planned(SQLite::Database& db, const std::vector<SweepId>& sweeps) {
  RemovalPlan plan;
  for (const SweepId sweep : sweeps) {
    auto one = described(db, sweep);
    if (!one) return one.error();
    plan.sweeps.push_back(*std::move(one));
  }
  // With those that depend on dependents.
  std::vector<SweepId> looked_at = sweeps;
  for (std::size_t i = 0; i < looked_at.size(); ++i)
    for (const Dependent& one : dependents_of(db, looked_at[i]))
      if (std::ranges::find(looked_at, one.sweep) == looked_at.end()) {
        looked_at.push_back(one.sweep);
        plan.dependents.push_back(one);
      }
  return plan;
}

// The digests that models, artifacts and workflows name.
std::set<std::string> named_blobs(SQLite::Database& db) {
  std::set<std::string> digests;
  for (const BlobRow& blob : kept_blobs(db)) digests.insert(blob.sha256);
  for (const std::string& digest : workflow_blobs(db)) digests.insert(digest);
  return digests;
}

std::set<std::int64_t> numbers(SQLite::Database& db, const char* query,
                               const std::vector<SweepId>& sweeps) {
  std::set<std::int64_t> found;
  for (const SweepId sweep : sweeps) {
    SQLite::Statement rows(db, query);
    rows.bind(1, sweep.value);
    while (rows.executeStep()) found.insert(rows.getColumn(0).getInt64());
  }
  return found;
}

// Includes dropped checkpoints: their files may still be there.
std::set<std::string> blobs_of(SQLite::Database& db, const std::vector<SweepId>& sweeps) {
  std::set<std::string> digests;
  for (const SweepId sweep : sweeps) {
    SQLite::Statement rows(
        db,
        "SELECT sha256 FROM model WHERE sweep = ?1 UNION"
        " SELECT sha256 FROM snapshot WHERE sweep = ?1 UNION"
        " SELECT sha256 FROM artifact WHERE trial IN (SELECT id FROM trial WHERE sweep = ?1)");
    rows.bind(1, sweep.value);
    while (rows.executeStep()) digests.insert(rows.getColumn(0).getString());
  }
  return digests;
}

void remove_file(const fs::path& file, RemovalReport& report) {
  std::error_code failed;
  const auto bytes = fs::file_size(file, failed);
  if (failed || !fs::remove(file, failed) || failed) return;
  ++report.files;
  report.bytes += static_cast<std::int64_t>(bytes);
}

// "17-4096.log": the log of the lease 17.
void remove_logs(const fs::path& folder, const std::set<std::int64_t>& leases,
                 RemovalReport& report) {
  std::error_code failed;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    std::int64_t lease = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), lease);
    if (read.ec == std::errc() && leases.contains(lease)) files.push_back(entry.path());
  }
  for (const fs::path& file : files) remove_file(file, report);
}

void remove_from(SQLite::Database& db, const DataFolder& folder, const std::vector<SweepId>& sweeps,
                 RemovalReport& report) {
  const auto events = numbers(db, "SELECT seq FROM event WHERE sweep = ?1", sweeps);
  const auto leases = numbers(db, "SELECT lease FROM attempt WHERE sweep = ?1", sweeps);
  const auto blobs = blobs_of(db, sweeps);
  leave_out(db, events);
  report.removed = static_cast<std::int64_t>(events.size());
  forget_earlier(folder, last_seq(db));
  const auto after = named_blobs(db);
  for (const std::string& digest : blobs)
    if (!after.contains(digest)) remove_file(blob_file(folder.blobs(), digest), report);
  remove_logs(folder.path() / "logs", leases, report);
  db.exec("VACUUM");  // else the pages stay in the file
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace

Result<RemovalPlan> plan_removal(const std::filesystem::path& folder,
                                 const std::vector<SweepId>& sweeps) {
  const auto db = open_folder(folder);
  if (!db) return db.error();
  try {
    return planned(**db, sweeps);
  } catch (const std::exception& trouble) {  // as of a database with an older schema
    return refuse(Code::conflict, std::string("the database cannot be read: ") + trouble.what() +
                                      "; hone db upgrade or hone db check may help");
  }
}

Result<RemovalReport> remove_sweeps(const std::filesystem::path& folder,
                                    const std::vector<SweepId>& sweeps) {
  if (const auto readable = open_folder(folder); !readable) return readable.error();
  const auto held = DataFolder::open(folder);
  if (!held) return held.error();
  const auto db = open_for_writing(held->database().string());
  if (!db) return db.error();
  RemovalReport report;
  try {
    const auto plan = planned(**db, sweeps);
    if (!plan) return plan.error();
    if (!plan->dependents.empty())
      return refuse(Code::conflict, text(plan->dependents.front().sweep) + " depends on " +
                                        text(plan->dependents.front().on) + ": name it too");
    report.events = last_seq(**db);
    auto copy = back_up_beside(**db, held->database().string());
    if (!copy) return copy.error();
    report.backup = *std::move(copy);
    remove_from(**db, *held, sweeps, report);
    return report;
  } catch (const std::exception& trouble) {
    return refuse(Code::internal, std::string("not everything was removed: ") + trouble.what() +
                                      ". The database as it was: " + report.backup);
  }
}

}  // namespace hone::upkeep
