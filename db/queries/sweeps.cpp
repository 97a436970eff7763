// Reads of sweeps and trials.
#include <algorithm>
#include <map>

#include "base/expect.hpp"
#include "db/leaderboard.hpp"
#include "db/queries/find.hpp"
#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/queries/read.hpp"
#include "db/queries/replicates.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {

Snapshot::Snapshot(SQLite::Database& db) : db_(db) { db_.exec("SAVEPOINT snapshot"); }
Snapshot::~Snapshot() { db_.tryExec("RELEASE snapshot"); }

namespace {

// Joins the first trial `b` of the leaderboard and its first run `r`.
std::string select_sweeps() {
  return "SELECT " + row::columns<SweepRow>() +
         " FROM sweep s LEFT JOIN trial b ON b.id = " + sql::first_trial +
         " LEFT JOIN quarantine q ON q.sweep = s.id"
         " LEFT JOIN run r ON r.trial = b.id AND r.replicate = " +
         sql::first_run("b.id") + " ";
}

Result<Page<TrialRow>> trials_by_number(SQLite::Database& db, SweepId sweep, Goal goal,
                                        const PageQuery& page) {
  const auto after = integer_cursor(page, -1);
  if (!after) return after.error();
  SQLite::Statement s(db,
                      "SELECT " + row::columns<TrialRow>() +
                          " FROM trial t WHERE sweep = ? AND number > ? ORDER BY number LIMIT ?");
  sql::bind(s, sweep, *after, page.limit + 1);
  const auto read = [goal](const SQLite::Statement& rows) {
    return row::read<TrialRow>(rows, goal);
  };
  return read_page<TrialRow>(s, page.limit, read,
                             [](const TrialRow& row) { return std::to_string(row.number); });
}

// The place after which the next page starts: tier/key/number.
struct Place {
  std::int64_t tier = -1;
  double key = 0;
  std::int64_t number = 0;
};

std::string place_text(std::int64_t tier, double key, std::int64_t number) {
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), key).ptr;
  return std::to_string(tier) + "/" + std::string(digits, end) + "/" + std::to_string(number);
}

std::optional<Place> parse_place(const std::string& cursor) {
  const auto first = cursor.find('/'), second = cursor.find('/', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  const std::string_view text = cursor;
  const auto tier = parse_number<std::int64_t>(text.substr(0, first));
  const auto key = parse_number<double>(text.substr(first + 1, second - first - 1));
  const auto number = parse_number<std::int64_t>(text.substr(second + 1));
  if (!tier || !key || !number) return std::nullopt;
  return Place{*tier, *key, *number};
}

Result<Page<TrialRow>> trials_by_value(SQLite::Database& db, SweepId sweep, Goal goal,
                                       const PageQuery& page) {
  const auto after = page.after.empty() ? std::optional(Place{}) : parse_place(page.after);
  if (!after) return bad_cursor(page.after);
  const std::string place = std::string(sql::tier) + ", " + sql::key + ", t.number";
  SQLite::Statement s(db, "SELECT " + row::columns<TrialRow>() + ", " + place +
                              " FROM trial t JOIN sweep s ON s.id = t.sweep WHERE t.sweep = ?1"
                              " AND (" +
                              place + ") > (?2, ?3, ?4) ORDER BY " + place + " LIMIT ?5");
  sql::bind(s, sweep, after->tier, after->key, after->number, page.limit + 1);
  std::map<TrialId, std::string> places;
  const auto read = [&](const SQLite::Statement& rows) {
    sql::Columns c(rows);
    auto row = row::read<TrialRow>(c, goal);
    const auto tier = c.integer();
    const double key = c.real();
    places[row.id] = place_text(tier, key, row.number);
    return row;
  };
  return read_page<TrialRow>(s, page.limit, read,
                             [&](const TrialRow& row) { return places.at(row.id); });
}

}  // namespace

Result<Page<SweepRow>> list_sweeps(SQLite::Database& db, const PageQuery& page, bool archived) {
  const auto after = integer_cursor(page, std::numeric_limits<std::int64_t>::max());
  if (!after) return after.error();
  SQLite::Statement s(db, select_sweeps() + "WHERE s.id < ? " +
                              (archived ? "" : "AND s.archived_at IS NULL ") +
                              "ORDER BY s.id DESC LIMIT ?");
  sql::bind(s, *after, page.limit + 1);
  return read_page<SweepRow>(s, page.limit,
                             [](const SweepRow& row) { return std::to_string(row.id.value); });
}

std::vector<SweepRow> open_sweeps(SQLite::Database& db, std::int64_t limit) {
  SQLite::Statement s(db, select_sweeps() +
                              "WHERE s.state IN ('running', 'paused') AND q.sweep IS NULL"
                              " ORDER BY s.id LIMIT ?");
  sql::bind(s, limit);
  std::vector<SweepRow> rows;
  while (s.executeStep()) rows.push_back(row::read<SweepRow>(s));
  return rows;
}

Result<SweepRow> find_sweep(SQLite::Database& db, SweepId id) {
  SQLite::Statement s(db, select_sweeps() + "WHERE s.id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no sweep " + text(id));
  return row::read<SweepRow>(s);
}

Result<Page<TrialRow>> list_trials(SQLite::Database& db, SweepId sweep, TrialSort sort,
                                   const PageQuery& page) {
  const auto goal = goal_of(db, sweep);
  if (!goal) return goal.error();
  switch (sort) {
    case TrialSort::number:
      return trials_by_number(db, sweep, *goal, page);
    case TrialSort::value:
      return trials_by_value(db, sweep, *goal, page);
  }
  unreachable();
}

Result<TrialRow> find_trial(SQLite::Database& db, TrialId id) {
  SQLite::Statement s(db, "SELECT s.goal, " + row::columns<TrialRow>() +
                              " FROM trial t JOIN sweep s ON s.id = t.sweep WHERE t.id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no trial " + text(id));
  sql::Columns c(s);
  const Goal goal = c.word<Goal>();
  return row::read<TrialRow>(c, goal);
}

namespace {

// A trial with its best run, and the model of that run's best report.
std::string select_best() {
  return "SELECT " + row::columns<BestRow>() +
         " FROM trial t JOIN sweep s ON s.id = t.sweep JOIN run r ON r.trial = t.id AND"
         " r.replicate = " +
         sql::first_run("t.id") + " WHERE t.cost < 9e999 AND ";
}

// The first trials of a tier (leaderboard.hpp), in the order of an index. The plus keeps SQLite
// from the index of costs where the order is that of other costs: it would read all trials.
std::vector<TrialId> first_of_tier(SQLite::Database& db, SweepId sweep, int tier,
                                   std::int64_t limit) {
  const std::string select =
      "SELECT t.id FROM sweep s CROSS JOIN trial t WHERE s.id = ?1"
      " AND t.sweep = ?1 AND NOT t.failed AND ";
  const std::string key = tier == 0 ? "t.confirmed_cost" : tier == 1 ? "t.expected_cost" : "t.cost";
  const std::string among =
      tier < 2 ? key + " IS NOT NULL AND +t.cost < 1.797e308" : key + " < 1.797e308";
  SQLite::Statement s(
      db, select + among + " AND " + sql::tier + " = ?2 ORDER BY " + key + ", t.number LIMIT ?3");
  std::vector<TrialId> trials;
  for (sql::bind(s, sweep, tier, limit); s.executeStep();)
    trials.push_back(sql::Columns(s).id<TrialId>());
  return trials;
}

}  // namespace

// One tier after the other: an order by tier would sort all trials of the sweep.
Result<std::vector<BestRow>> best_trials(SQLite::Database& db, SweepId sweep, std::int64_t limit) {
  const auto goal = goal_of(db, sweep);
  if (!goal) return goal.error();
  SQLite::Statement s(db, select_best() + "t.id = ?");
  std::vector<BestRow> rows;
  for (int tier = 0; tier <= sql::last_valued_tier; ++tier) {
    const auto wanted = limit - static_cast<std::int64_t>(rows.size());
    if (wanted == 0) break;
    for (const TrialId trial : first_of_tier(db, sweep, tier, wanted)) {
      if (!sql::bind(s, trial).executeStep()) continue;
      rows.push_back(row::read<BestRow>(s, *goal));
      rows.back().rank = static_cast<std::int64_t>(rows.size());
      rows.back().comparable = tier < sql::last_valued_tier;
    }
  }
  return rows;
}

std::vector<PricedRow> priced_trials(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, std::string("SELECT t.id, t.number, 0.0 - t.cost, ") +
                              sql::seconds_of_trial +
                              " FROM trial t WHERE t.sweep = ? AND NOT t.failed"
                              " AND t.cost < 1.797e308 ORDER BY t.number");
  std::vector<PricedRow> rows;
  for (sql::bind(s, sweep); s.executeStep();) {
    sql::Columns c(s);
    PricedRow& row = rows.emplace_back();
    row.trial = c.id<TrialId>();
    row.number = c.integer();
    row.merit = c.real();
    row.seconds = c.maybe(&sql::Columns::real);
  }
  return rows;
}

std::vector<ExpectedRow> expected_trials(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db,
                      "SELECT number, 0.0 - expected_cost FROM trial WHERE sweep = ?"
                      " AND expected_cost IS NOT NULL");
  std::vector<ExpectedRow> rows;
  for (sql::bind(s, sweep); s.executeStep();) {
    sql::Columns c(s);
    ExpectedRow& row = rows.emplace_back();
    row.number = c.integer();
    row.merit = c.real();
  }
  return rows;
}

std::optional<BestRow> best_of_trial(SQLite::Database& db, TrialId trial, Goal goal) {
  SQLite::Statement s(db, select_best() + "t.id = ?");
  if (!sql::bind(s, trial).executeStep()) return std::nullopt;
  return row::read<BestRow>(s, goal);
}

std::optional<SweepId> newest_confirmation(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, "SELECT max(id) FROM sweep WHERE confirms = ?");
  if (!sql::bind(s, sweep).executeStep()) return std::nullopt;
  return sql::Columns(s).maybe(&sql::Columns::id<SweepId>);
}

std::vector<SweepId> ended_confirmations(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(
      db, "SELECT id FROM sweep WHERE confirms = ? AND ended_at IS NOT NULL ORDER BY id");
  std::vector<SweepId> found;
  for (sql::bind(s, sweep); s.executeStep();) found.push_back(sql::Columns(s).id<SweepId>());
  return found;
}

std::optional<TrialId> trial_of_params(SQLite::Database& db, SweepId sweep,
                                       const std::string& params) {
  SQLite::Statement s(
      db, "SELECT id FROM trial WHERE sweep = ? AND params = ? ORDER BY number LIMIT 1");
  if (!sql::bind(s, sweep, params).executeStep()) return std::nullopt;
  return sql::Columns(s).id<TrialId>();
}

SeedCounts count_seeds(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db,
                      "SELECT count(*), count(seed_applied), coalesce(sum(seed_applied), 0)"
                      " FROM run WHERE sweep = ? AND reports > 0");
  SeedCounts counts;
  if (!sql::bind(s, sweep).executeStep()) return counts;
  sql::Columns c(s);
  counts.runs = c.integer();
  counts.said = c.integer();
  counts.applied = c.integer();
  return counts;
}

}  // namespace hone
