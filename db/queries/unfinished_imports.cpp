#include "db/queries/unfinished_imports.hpp"

#include <array>
#include <utility>

namespace hone {
namespace {

// The tables with rows of a sweep, by the column that tells of which: a sweep, or an id of its
// range.
struct Hidden {
  const char* table;
  const char* column;
  const char* ids;
};
constexpr auto hidden_tables = std::to_array<Hidden>({{"sweep", "id", "sweep"},
                                                      {"run_group", "sweep", "sweep"},
                                                      {"sweep_dataset", "sweep", "sweep"},
                                                      {"warm_start", "sweep", "sweep"},
                                                      {"edit", "sweep", "sweep"},
                                                      {"snapshot", "sweep", "sweep"},
                                                      {"trial", "id", "trial"},
                                                      {"run", "trial", "trial"},
                                                      {"report", "trial", "trial"},
                                                      {"curve", "trial", "trial"},
                                                      {"artifact", "trial", "trial"},
                                                      {"param", "trial", "trial"},
                                                      {"param_number", "trial", "trial"},
                                                      {"param_text", "trial", "trial"},
                                                      {"metric_point", "trial", "trial"},
                                                      {"metric_last", "trial", "trial"},
                                                      {"attempt", "lease", "lease"},
                                                      {"model", "id", "model"},
                                                      {"evaluation", "id", "evaluation"}});

// A condition for each import. Numbers and not a query, so that it costs a comparison a row.
std::string condition(SQLite::Database& db, const Hidden& one) {
  const std::string ids = one.ids;
  const bool is_sweep = ids == "sweep";
  SQLite::Statement rows(
      db, is_sweep ? "SELECT sweep - 1, sweep FROM unfinished_import"
                   : "SELECT " + ids + "_after, " + ids + "_last FROM unfinished_import");
  std::string all;
  while (rows.executeStep())
    all += std::string(all.empty() ? "" : " AND ") + "NOT (" + one.column + " > " +
           rows.getColumn(0).getString() + " AND " + one.column +
           " <= " + rows.getColumn(1).getString() + ")";
  return all;
}

}  // namespace

UnfinishedImports::UnfinishedImports(SQLite::Database& db)
    : db_(db), list_(db, "SELECT coalesce(group_concat(sweep), '') FROM unfinished_import") {}

void UnfinishedImports::hide() {
  list_.executeStep();
  std::string listed = list_.getColumn(0).getString();
  list_.reset();
  if (listed == hidden_) return;
  for (const Hidden& one : hidden_tables) {
    db_.exec("DROP VIEW IF EXISTS temp." + std::string(one.table));
    if (!listed.empty())
      db_.exec("CREATE TEMP VIEW " + std::string(one.table) + " AS SELECT * FROM main." +
               one.table + " WHERE " + condition(db_, one));
  }
  hidden_ = std::move(listed);
}

}  // namespace hone
