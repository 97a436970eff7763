// Reads a row of `trial`. Internal to db/queries.
#pragma once

#include <optional>
#include <string>

#include "db/queries/rows.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {

inline constexpr char trial_columns[] =
    "t.id, t.sweep, t.number, t.params, t.state, t.reason, t.cost, t.phase, t.runs, t.proposed_at,"
    " t.best_cost, t.length, t.seeds, t.failed, t.confirmed_cost, t.confirmed_seeds,"
    " t.schedule, t.origin, t.creator";

inline TrialRow read_trial(sql::Columns& c, Goal goal) {
  TrialRow row;
  row.id = c.id<TrialId>();
  row.sweep = c.id<SweepId>();
  row.number = c.integer();
  row.params = c.text();
  row.state = c.word<RunState>();
  row.reason = c.word<EndReason>();
  row.value = sql::score_of(c.real(), goal);
  row.phase = c.small();
  row.runs = c.small();
  row.proposed_at = c.instant();
  row.best_report = sql::score_of(c.real(), goal);
  row.length = c.small();
  row.seeds = c.small();
  row.failed = c.small() != 0;
  if (const auto confirmed = c.maybe(&sql::Columns::real))
    row.confirmed = sql::score_of(*confirmed, goal);
  row.confirmed_seeds = c.small();
  row.schedule = c.text();
  row.from = c.maybe(&sql::Columns::id<TrialId>);
  row.creator = c.maybe(&sql::Columns::text);
  return row;
}

inline Result<Goal> goal_of(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, "SELECT goal FROM sweep WHERE id = ?");
  if (!sql::bind(s, sweep).executeStep())
    return refuse(Code::not_found, "there is no sweep " + text(sweep));
  return sql::Columns(s).word<Goal>();
}

}  // namespace hone
