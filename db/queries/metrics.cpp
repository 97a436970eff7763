#include <SQLiteCpp/Statement.h>

#include "db/leaderboard.hpp"
#include "db/queries/queries.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {

std::vector<BestValueRow> best_values(SQLite::Database& db, std::int64_t limit) {
  SQLite::Statement rows(
      db,
      std::string("SELECT s.id, s.metric, s.goal, b.cost FROM sweep s JOIN trial b ON b.id = ") +
          sql::first_trial +
          " WHERE s.state = 'running' AND b.cost < 1.797e308 ORDER BY s.id DESC LIMIT ?");
  sql::bind(rows, limit);
  std::vector<BestValueRow> best;
  while (rows.executeStep()) {
    sql::Columns c(rows);
    BestValueRow row;
    row.sweep = SweepId{c.integer()};
    row.metric = c.text();
    const Goal goal = c.word<Goal>();
    row.value = sql::score_of(c.real(), goal).value_or(Score::diverged());
    if (row.value.has_number()) best.push_back(std::move(row));
  }
  return best;
}

Slots read_slots(SQLite::Database& db, Instant seen_after) {
  SQLite::Statement row(db,
                        "SELECT count(*), coalesce(sum(cpus), 0), coalesce(sum(gpus), 0),"
                        " (SELECT count(*) FROM attempt WHERE ended_at IS NULL)"
                        " FROM worker WHERE last_seen_at > ?");
  sql::bind(row, seen_after);
  Slots slots;
  if (!row.executeStep()) return slots;
  sql::Columns c(row);
  for (auto* total : {&slots.workers, &slots.cpus, &slots.gpus, &slots.leases})
    *total = c.integer();
  return slots;
}

}  // namespace hone
