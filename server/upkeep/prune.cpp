#include <SQLiteCpp/Exception.h>

#include <algorithm>

#include "db/file/database.hpp"
#include "db/ledger/thinning.hpp"
#include "db/queries/queries.hpp"
#include "server/engine/clock.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {
namespace {

std::int64_t size_of(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(file, ignored);
  return ignored ? 0 : static_cast<std::int64_t>(bytes);
}

// SQLite keeps freed pages in the file until it is written again.
Status give_space_back(SQLite::Database& db) {
  try {
    db.exec("VACUUM");
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (const SQLite::Exception& trouble) {
    return refuse(Code::unavailable, std::string("the metrics are thinned, but their space could "
                                                 "not be given back: ") +
                                         trouble.what() +
                                         "; it needs as much free disk as the database has");
  }
  return Done{};
}

}  // namespace

Result<PruneReport> prune(const std::filesystem::path& folder, const PruneOptions& options,
                          const Progress& progress) {
  if (const auto readable = open_folder(folder); !readable) return readable.error();
  const auto held = DataFolder::open(folder);
  if (!held) return held.error();
  const auto db = open_for_writing(held->database().string());
  if (!db) return db.error();
  PruneReport report;
  report.bytes_before = size_of(held->database());
  const Instant now = std::max(SystemClock{}(), last_instant(**db));
  const Thinning thinning{now - options.older, options.kept, options.to.string()};
  const auto thinned =
      thin_metrics(**db, thinning, [&](auto done, auto total) { progress("sweeps", done, total); });
  if (!thinned) return thinned.error();
  if (thinned->removed > 0)
    if (auto given = give_space_back(**db); !given) return given.error();
  report.sweeps = thinned->sweeps;
  report.points = thinned->removed;
  report.bytes_after = size_of(held->database());
  return report;
}

}  // namespace hone::upkeep
