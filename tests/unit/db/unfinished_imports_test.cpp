// No read may see a row of an import without its last part, in whatever table it is.
#include "db/queries/unfinished_imports.hpp"

#include <set>

#include "tests/unit/db/given.hpp"

namespace hone {
namespace {

using Names = std::set<std::string>;

Names names(SQLite::Database& db, const std::string& query) {
  Names found;
  SQLite::Statement rows(db, query);
  while (rows.executeStep()) found.insert(rows.getColumn(0).getString());
  return found;
}

// The tables with a column that leads to a sweep.
Names tables_of_sweeps(SQLite::Database& db) {
  return names(db,
               "SELECT DISTINCT t.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c"
               " WHERE t.type = 'table' AND (c.name IN ('sweep', 'trial', 'run', 'lease', 'model')"
               " OR t.name IN ('sweep', 'trial'))");
}

TEST(UnfinishedImports, every_table_with_rows_of_sweeps_is_hidden) {
  // The ledger itself, and what only the engine reads.
  const Names open{"event", "ended_sweep", "quarantine", "param_indexed", "unfinished_import"};
  const auto db = open_in_memory();
  db->exec("INSERT INTO unfinished_import VALUES (7, 0, 10, 20, 30, 40, 50, 60, 70, 80)");
  UnfinishedImports(*db).hide();
  const Names hidden = names(*db, "SELECT name FROM temp.sqlite_schema WHERE type = 'view'");
  for (const std::string& table : tables_of_sweeps(*db)) {
    if (!open.contains(table)) {
      EXPECT_TRUE(hidden.contains(table)) << table;
    }
  }
}

TEST(UnfinishedImports, are_seen_with_their_last_part) {
  const auto db = open_in_memory();
  UnfinishedImports imports(*db);
  db->exec("INSERT INTO unfinished_import VALUES (7, 0, 10, 20, 30, 40, 50, 60, 70, 80)");
  db->exec("PRAGMA foreign_keys = OFF");
  for (const int trial : {10, 11, 20, 21})
    db->exec("INSERT INTO param_number VALUES ('x', 1.0, " + std::to_string(trial) + ")");
  const auto trials = [&] { return names(*db, "SELECT trial FROM param_number"); };
  imports.hide();
  EXPECT_EQ(trials(), (Names{"10", "21"}));
  db->exec("DELETE FROM main.unfinished_import");
  imports.hide();
  EXPECT_EQ(trials(), (Names{"10", "11", "20", "21"}));
}

}  // namespace
}  // namespace hone
