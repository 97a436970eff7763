#include "db/ledger/ended_rows.hpp"

#include "db/sql.hpp"

namespace hone {
namespace {

template <class Id>
bool exists(SQLite::Statement& row, Id id) {
  sql::bind(row, id);
  const bool found = row.executeStep() && row.getColumn(0).getInt() == 1;
  row.reset();
  return found;
}

}  // namespace

struct EndedRows::Statements {
  explicit Statements(SQLite::Database& db)
      : put(db,
            "INSERT OR REPLACE INTO ended_sweep (sweep, seq, stamp, checksum, state)"
            " VALUES (?, ?, ?, ?, ?)"),
        find(db,
             "SELECT stamp, checksum, state FROM ended_sweep WHERE sweep = ? AND seq <= ?"
             " ORDER BY seq DESC LIMIT 1"),
        sweep(db, "SELECT EXISTS (SELECT 1 FROM sweep WHERE id = ?)"),
        model(db, "SELECT EXISTS (SELECT 1 FROM model WHERE id = ?)"),
        evaluation(db, "SELECT EXISTS (SELECT 1 FROM evaluation WHERE id = ?)"),
        sweep_of(db, "SELECT sweep FROM trial WHERE id = ?") {}

  SQLite::Statement put, find, sweep, model, evaluation, sweep_of;
};

EndedRows::EndedRows(SQLite::Database& db) : db_(db) {}
EndedRows::~EndedRows() = default;

EndedRows::Statements& EndedRows::statements() {
  if (!statements_) statements_ = std::make_unique<Statements>(db_);
  return *statements_;
}

void EndedRows::put(SweepId sweep, std::int64_t seq, const EndedRow& row) {
  sql::run(statements().put, sweep, seq, row.stamp, row.checksum, sql::Bytes(row.state));
}

std::optional<EndedRow> EndedRows::find(SweepId sweep, std::int64_t seq) {
  SQLite::Statement& find = statements().find;
  sql::bind(find, sweep, seq);
  std::optional<EndedRow> row;
  if (find.executeStep()) {
    const auto state = find.getColumn(2);
    row = EndedRow{find.getColumn(0).getString(), find.getColumn(1).getInt64(),
                   std::string(static_cast<const char*>(state.getBlob()),
                               static_cast<std::size_t>(state.getBytes()))};
  }
  find.reset();
  return row;
}

std::vector<SweepId> EndedRows::list(std::int64_t seq, std::string_view stamp) {
  SQLite::Statement rows(db_,
                         "SELECT DISTINCT sweep FROM ended_sweep WHERE seq <= ? AND stamp = ?"
                         " ORDER BY sweep");
  sql::bind(rows, seq, stamp);
  std::vector<SweepId> sweeps;
  while (rows.executeStep()) sweeps.push_back({rows.getColumn(0).getInt64()});
  return sweeps;
}

bool EndedRows::knows(SweepId sweep) { return exists(statements().sweep, sweep); }
bool EndedRows::knows(ModelId model) { return exists(statements().model, model); }
bool EndedRows::knows(EvaluationId evaluation) {
  return exists(statements().evaluation, evaluation);
}

std::vector<SweepId> EndedRows::recorded(SweepId last) {
  SQLite::Statement rows(db_, "SELECT id FROM sweep WHERE id <= ? ORDER BY id");
  sql::bind(rows, last);
  std::vector<SweepId> sweeps;
  while (rows.executeStep()) sweeps.push_back({rows.getColumn(0).getInt64()});
  return sweeps;
}

std::optional<SweepId> EndedRows::sweep_of(TrialId trial) {
  SQLite::Statement& row = statements().sweep_of;
  sql::bind(row, trial);
  std::optional<SweepId> sweep;
  if (row.executeStep()) sweep = SweepId{row.getColumn(0).getInt64()};
  row.reset();
  return sweep;
}

void EndedRows::prune(std::int64_t seq) {
  SQLite::Statement older(db_,
                          "DELETE FROM ended_sweep AS older WHERE seq < (SELECT max(seq) FROM"
                          " ended_sweep WHERE sweep = older.sweep AND seq <= ?)");
  sql::bind(older, seq);
  older.exec();
}

void EndedRows::clear() {
  const bool any = db_.execAndGet("SELECT EXISTS (SELECT 1 FROM ended_sweep)").getInt() == 1;
  if (any) db_.exec("DELETE FROM ended_sweep");  // else it would be an empty commit
}

}  // namespace hone
