// Hides the rows of imports without their last part from the reads of a connection.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <string>

namespace hone {

class UnfinishedImports {
 public:
  // Borrows a connection that only reads.
  explicit UnfinishedImports(SQLite::Database& db);

  // From here on the connection's tables are those of finished sweeps, as of the present snapshot.
  // Call inside a snapshot. Costs one look-up where there is nothing to hide, else temporary views
  // over the tables, which stay until that changes.
  void hide();

 private:
  SQLite::Database& db_;
  SQLite::Statement list_;
  std::string hidden_;  // as listed when the views were made
};

}  // namespace hone
