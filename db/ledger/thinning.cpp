#include "db/ledger/thinning.hpp"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <filesystem>
#include <optional>

#include "db/sql.hpp"

namespace hone {
namespace {

constexpr const char* archive_table =
    "CREATE TABLE IF NOT EXISTS archive.metric_point ("
    "  sweep INTEGER NOT NULL, trial INTEGER NOT NULL, replicate INTEGER NOT NULL,"
    "  name TEXT NOT NULL, step INTEGER NOT NULL, value REAL NOT NULL, at INTEGER NOT NULL,"
    "  PRIMARY KEY (trial, replicate, name, step)) STRICT, WITHOUT ROWID";

// The keys of the points of sweep ?1 that leave when each series keeps ?2 of n points: of the
// points 0 to n - 1, those that begin none of the ?2 equal steps from the first to the last. hone's
// own measurements stay, since their means and maxima are shown.
constexpr const char* surplus =
    "SELECT trial, replicate, name, step FROM ("
    "  SELECT trial, replicate, name, step, row_number() OVER series - 1 AS k,"
    "    count(*) OVER (PARTITION BY trial, replicate, name) AS n"
    "  FROM metric_point WHERE trial IN (SELECT id FROM trial WHERE sweep = ?1)"
    "    AND substr(name, 1, 5) <> 'hone.'"
    "  WINDOW series AS (PARTITION BY trial, replicate, name ORDER BY step))"
    " WHERE n > ?2 AND k > 0 AND k * (?2 - 1) / (n - 1) = (k - 1) * (?2 - 1) / (n - 1)";

std::vector<SweepId> ended_sweeps(SQLite::Database& db, Instant before) {
  SQLite::Statement rows(db, "SELECT id FROM sweep WHERE ended_at < ? ORDER BY id");
  sql::bind(rows, before);
  std::vector<SweepId> sweeps;
  while (rows.executeStep()) sweeps.push_back(SweepId{rows.getColumn(0).getInt64()});
  return sweeps;
}

std::int64_t run_for(SQLite::Database& db, const std::string& statement, SweepId sweep,
                     std::int64_t points_kept) {
  SQLite::Statement command(db, statement);
  sql::bind(command, sweep, points_kept);
  return command.exec();
}

Error not_ours(const std::string& file, const std::string& what) {
  return refuse(Code::invalid, "'" + file + "' " + what + ": name a new file");
}

// Refuses where the archive holds other points of the same runs: a restored backup has given
// their numbers to other runs.
Status move_points(SQLite::Database& db, SweepId sweep, const Thinning& thinning) {
  const std::string moved =
      std::string(" FROM main.metric_point m WHERE (m.trial, m.replicate, m.name, m.step) IN (") +
      surplus + ")";
  SQLite::Transaction copying(db);
  run_for(db, "INSERT OR IGNORE INTO archive.metric_point SELECT ?1, m.*" + moved, sweep,
          thinning.points_kept);
  SQLite::Statement differing(
      db, "SELECT EXISTS (SELECT 1" + moved +
              " AND NOT EXISTS (SELECT 1 FROM archive.metric_point a WHERE a.trial = m.trial AND"
              " a.replicate = m.replicate AND a.name = m.name AND a.step = m.step AND"
              " a.sweep = ?1 AND a.value = m.value AND a.at = m.at))");
  sql::bind(differing, sweep, thinning.points_kept);
  if (differing.executeStep() && differing.getColumn(0).getInt() == 1)
    return not_ours(thinning.archive, "holds other points of " + text(sweep));
  differing.reset();
  copying.commit();
  return Done{};
}

std::int64_t delete_points(SQLite::Database& db, SweepId sweep, std::int64_t points_kept) {
  SQLite::Transaction deleting(db);
  const auto removed = run_for(
      db,
      std::string("DELETE FROM main.metric_point WHERE (trial, replicate, name, step) IN (") +
          surplus + ")",
      sweep, points_kept);
  deleting.commit();
  return removed;
}

// An attached archive, until it goes.
class Archive {
 public:
  Archive(SQLite::Database& db, const std::string& file) : db_(db) {
    SQLite::Statement attach(db, "ATTACH ? AS archive");
    attach.bind(1, file);
    attach.exec();
  }
  ~Archive() { db_.tryExec("DETACH archive"); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

 private:
  SQLite::Database& db_;
};

// The first event of the ledger, which no other ledger has: trials have the same numbers in all.
std::string first_event(SQLite::Database& db) {
  SQLite::Statement row(db, "SELECT hex(coalesce(link, at || body)) FROM main.event WHERE seq = 1");
  return row.executeStep() ? row.getColumn(0).getString() : std::string();
}

// Makes the file an archive of this ledger. It must be new, empty, or such an archive already.
Status prepare(SQLite::Database& db, const std::string& file) {
  const auto tables = db.execAndGet(
                            "SELECT count(*) FROM archive.sqlite_schema WHERE type = 'table' "
                            "AND name NOT IN ('metric_point', 'source')")
                          .getInt();
  if (tables > 0) return not_ours(file, "is a database with other tables");
  db.exec("PRAGMA archive.synchronous = FULL");
  db.exec(archive_table);
  db.exec("CREATE TABLE IF NOT EXISTS archive.source (first_event TEXT PRIMARY KEY) STRICT");
  SQLite::Statement add(db, "INSERT OR IGNORE INTO archive.source VALUES (?)");
  sql::bind(add, first_event(db));
  add.exec();
  if (db.execAndGet("SELECT count(*) FROM archive.source").getInt() == 1) return Done{};
  db.exec("DELETE FROM archive.source WHERE rowid = (SELECT max(rowid) FROM archive.source)");
  return not_ours(file, "is the archive of another data folder");
}

}  // namespace

Result<Thinned> thin_metrics(SQLite::Database& db, const Thinning& thinning,
                             const std::function<void(std::int64_t, std::int64_t)>& progress) {
  try {
    std::optional<Archive> archive;
    if (!thinning.archive.empty()) {
      archive.emplace(db, thinning.archive);
      if (auto ready = prepare(db, thinning.archive); !ready) return ready.error();
    }
    Thinned thinned;
    const auto sweeps = ended_sweeps(db, thinning.ended_before);
    for (std::size_t done = 0; done < sweeps.size(); ++done) {
      if (archive)
        if (auto moved = move_points(db, sweeps[done], thinning); !moved) return moved.error();
      const auto removed = delete_points(db, sweeps[done], thinning.points_kept);
      thinned.removed += removed;
      thinned.sweeps += removed > 0 ? 1 : 0;
      progress(static_cast<std::int64_t>(done) + 1, static_cast<std::int64_t>(sweeps.size()));
    }
    return thinned;
  } catch (const SQLite::Exception& trouble) {
    return refuse(Code::unavailable, std::string("cannot thin the metrics: ") + trouble.what() +
                                         "; what was done is kept, try again");
  }
}

}  // namespace hone
