// Reads of sweeps and trials.
#include <algorithm>

#include "base/expect.hpp"
#include "db/projection/further.hpp"
#include "db/queries/find.hpp"
#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/queries/replicates.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {

Snapshot::Snapshot(SQLite::Database& db) : db_(db) { db_.exec("SAVEPOINT snapshot"); }
Snapshot::~Snapshot() { db_.tryExec("RELEASE snapshot"); }

namespace {

// Joins the best trial `b` and its best run `r`, by two look-ups in an index each.
constexpr char select_sweeps[] =
    "SELECT s.id, s.name, s.project, s.state, s.reason, s.submitted_at, s.ended_at, s.metric, "
    "s.goal,"
    " s.trials, s.proposed, s.runs_queued, s.runs_leased, s.runs_running, s.runs_paused,"
    " s.runs_completed, s.runs_stopped, s.runs_failed, s.runs_canceled, s.reports, s.seeds, "
    "s.phases,"
    " s.workflow, s.dataset, s.spec, s.confirms, b.id, r.replicate, b.cost, r.best_phase, "
    "r.best_step"
    " FROM sweep s"
    " LEFT JOIN trial b ON b.id = (SELECT id FROM trial WHERE sweep = s.id AND cost < 9e999"
    "                              ORDER BY cost, number LIMIT 1)"
    " LEFT JOIN run r ON r.trial = b.id AND r.replicate ="
    "   (SELECT replicate FROM run WHERE trial = b.id AND best_cost < 9e999"
    "    ORDER BY best_cost, replicate LIMIT 1) ";

RunCounts read_run_counts(sql::Columns& c) {
  RunCounts counts;
  for (auto* count : {&counts.queued, &counts.leased, &counts.running, &counts.paused,
                      &counts.completed, &counts.stopped, &counts.failed, &counts.canceled})
    *count = c.integer();
  return counts;
}

std::optional<BestOfSweep> read_best(sql::Columns& c, Goal goal) {
  const auto trial = c.maybe(&sql::Columns::id<TrialId>);
  if (!trial) return std::nullopt;
  BestOfSweep best;
  best.trial = *trial;
  best.run = {*trial, c.small()};
  best.value = sql::score_of(c.real(), goal).value_or(Score::diverged());
  best.phase = c.small();
  best.step = c.integer();
  return best;
}

SweepRow read_sweep(const SQLite::Statement& s) {
  sql::Columns c(s);
  SweepRow row;
  row.id = c.id<SweepId>();
  row.name = c.text();
  row.project = c.text();
  row.state = c.word(parse_sweep_state);
  row.reason = c.word(parse_end_reason);
  row.submitted_at = c.instant();
  row.ended_at = c.maybe(&sql::Columns::instant);
  row.objective.metric = c.text();
  row.objective.goal = c.word(parse_goal);
  row.trials_total = c.integer();
  row.trials_proposed = c.integer();
  row.runs = read_run_counts(c);
  row.phases_done = c.integer();
  row.seeds = c.small();
  row.phases_per_run = c.small();
  row.workflow = c.id<WorkflowId>();
  row.dataset = c.maybe(&sql::Columns::id<DatasetId>);
  row.spec = c.text();
  row.confirms = c.maybe(&sql::Columns::id<SweepId>);
  row.best = read_best(c, row.objective.goal);
  return row;
}

constexpr char trial_columns[] =
    "t.id, t.sweep, t.number, t.params, t.state, t.reason, t.cost, t.phase, t.runs, t.proposed_at";

TrialRow read_trial(sql::Columns& c, Goal goal) {
  TrialRow row;
  row.id = c.id<TrialId>();
  row.sweep = c.id<SweepId>();
  row.number = c.integer();
  row.params = c.text();
  row.state = c.word(parse_run_state);
  row.reason = c.word(parse_end_reason);
  row.value = sql::score_of(c.real(), goal);
  row.phase = c.small();
  row.runs = c.small();
  row.proposed_at = c.instant();
  return row;
}

Result<Goal> goal_of(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, "SELECT goal FROM sweep WHERE id = ?");
  if (!sql::bind(s, sweep).executeStep())
    return refuse(Code::not_found, "there is no sweep " + text(sweep));
  return sql::Columns(s).word(parse_goal);
}

Result<Page<TrialRow>> trials_by_number(SQLite::Database& db, SweepId sweep, Goal goal,
                                        const PageQuery& page) {
  const auto after = integer_cursor(page, -1);
  if (!after) return after.error();
  SQLite::Statement s(db,
                      std::string("SELECT ") + trial_columns +
                          " FROM trial t WHERE sweep = ? AND number > ? ORDER BY number LIMIT ?");
  sql::bind(s, sweep, *after, page.limit + 1);
  const auto read = [goal](const SQLite::Statement& rows) {
    sql::Columns c(rows);
    return read_trial(c, goal);
  };
  return read_page<TrialRow>(s, page.limit, read,
                             [](const TrialRow& row) { return std::to_string(row.number); });
}

std::string rank_cursor(const TrialRow& row, Goal goal) {
  const double cost = row.value ? sql::cost_of(*row.value, goal) : sql::cost_none;
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), cost).ptr;
  return std::string(digits, end) + "/" + std::to_string(row.number);
}

// The cost and number after which the next page starts.
std::optional<std::pair<double, std::int64_t>> parse_rank_cursor(const std::string& cursor) {
  const auto slash = cursor.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto cost = parse_number<double>(std::string_view(cursor).substr(0, slash));
  const auto number = parse_number<std::int64_t>(std::string_view(cursor).substr(slash + 1));
  if (!cost || !number) return std::nullopt;
  return std::pair{*cost, *number};
}

Result<Page<TrialRow>> trials_by_value(SQLite::Database& db, SweepId sweep, Goal goal,
                                       const PageQuery& page) {
  auto after = std::pair{-sql::cost_none, std::int64_t{-1}};
  if (!page.after.empty()) {
    const auto given = parse_rank_cursor(page.after);
    if (!given) return bad_cursor(page.after);
    after = *given;
  }
  SQLite::Statement s(db, std::string("SELECT ") + trial_columns +
                              " FROM trial t WHERE sweep = ? AND (cost, number) > (?, ?)"
                              " ORDER BY cost, number LIMIT ?");
  sql::bind(s, sweep, after.first, after.second, page.limit + 1);
  const auto read = [goal](const SQLite::Statement& rows) {
    sql::Columns c(rows);
    return read_trial(c, goal);
  };
  return read_page<TrialRow>(s, page.limit, read,
                             [goal](const TrialRow& row) { return rank_cursor(row, goal); });
}

}  // namespace

Result<Page<SweepRow>> list_sweeps(SQLite::Database& db, const PageQuery& page, bool archived) {
  const auto after = integer_cursor(page, std::numeric_limits<std::int64_t>::max());
  if (!after) return after.error();
  SQLite::Statement s(db, std::string(select_sweeps) + "WHERE s.id < ? " +
                              (archived ? "" : "AND s.archived_at IS NULL ") +
                              "ORDER BY s.id DESC LIMIT ?");
  sql::bind(s, *after, page.limit + 1);
  return read_page<SweepRow>(s, page.limit, read_sweep,
                             [](const SweepRow& row) { return std::to_string(row.id.value); });
}

Result<SweepRow> find_sweep(SQLite::Database& db, SweepId id) {
  SQLite::Statement s(db, std::string(select_sweeps) + "WHERE s.id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no sweep " + text(id));
  return read_sweep(s);
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
  SQLite::Statement s(db, std::string("SELECT s.goal, ") + trial_columns +
                              " FROM trial t JOIN sweep s ON s.id = t.sweep WHERE t.id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no trial " + text(id));
  sql::Columns c(s);
  const Goal goal = c.word(parse_goal);
  return read_trial(c, goal);
}

namespace {

// A trial with its best run, and the model of that run's best report.
std::string select_best() {
  return std::string("SELECT ") + trial_columns +
         ", r.replicate, r.best_phase, r.best_step,"
         // A process that ended during the phase has left an earlier checkpoint of it.
         " (SELECT id FROM model m WHERE m.trial = r.trial AND m.replicate = r.replicate"
         "  AND m.phase = r.best_phase AND m.step <= r.best_step"
         "  ORDER BY m.step DESC, id DESC LIMIT 1)"
         " FROM trial t JOIN run r ON r.trial = t.id AND r.replicate ="
         "   (SELECT replicate FROM run WHERE trial = t.id AND best_cost < 9e999"
         "    ORDER BY best_cost, replicate LIMIT 1)"
         " WHERE t.cost < 9e999 AND ";
}

BestRow read_best_row(const SQLite::Statement& s, Goal goal) {
  sql::Columns c(s);
  BestRow row;
  row.trial = read_trial(c, goal);
  row.run = {row.trial.id, c.small()};
  row.phase = c.small();
  row.step = c.integer();
  row.model = c.maybe(&sql::Columns::id<ModelId>);
  return row;
}

}  // namespace

Result<std::vector<BestRow>> best_trials(SQLite::Database& db, SweepId sweep, std::int64_t limit) {
  const auto goal = goal_of(db, sweep);
  if (!goal) return goal.error();
  SQLite::Statement s(db, select_best() + "t.sweep = ? ORDER BY t.cost, t.number LIMIT ?");
  sql::bind(s, sweep, limit);
  std::vector<BestRow> rows;
  while (s.executeStep()) {
    rows.push_back(read_best_row(s, *goal));
    rows.back().rank = static_cast<std::int64_t>(rows.size());
  }
  return rows;
}

std::optional<BestRow> best_of_trial(SQLite::Database& db, TrialId trial, Goal goal) {
  SQLite::Statement s(db, select_best() + "t.id = ?");
  if (!sql::bind(s, trial).executeStep()) return std::nullopt;
  return read_best_row(s, goal);
}

std::optional<SweepId> newest_confirmation(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, "SELECT max(id) FROM sweep WHERE confirms = ?");
  if (!sql::bind(s, sweep).executeStep()) return std::nullopt;
  return sql::Columns(s).maybe(&sql::Columns::id<SweepId>);
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

namespace {

// A mean over runs.
class Mean {
 public:
  void add(Score score) {
    ++count_;
    diverged_ = diverged_ || score.is_diverged();
    if (!diverged_) sum_ += score.value();
  }
  [[nodiscard]] Score score() const {
    return diverged_ ? Score::diverged() : Score::of(sum_ / count_);
  }

 private:
  double sum_ = 0;
  double count_ = 0;
  bool diverged_ = false;
};

// The values of a run's last report.
std::vector<Score> read_values(sql::Columns& c) {
  const auto value = c.maybe(&sql::Columns::real);
  std::vector<Score> values{value ? Score::of(*value) : Score::diverged()};
  const auto further = c.maybe(&sql::Columns::text);
  if (!further) return values;
  for (const Score score : read_further(*further)) values.push_back(score);
  return values;
}

std::vector<Score> scores_of(const std::vector<Mean>& means) {
  std::vector<Score> scores;
  for (const Mean& mean : means) scores.push_back(mean.score());
  return scores;
}

constexpr char select_outcomes[] =
    ", (SELECT id FROM model m WHERE m.trial = r.trial AND m.replicate = r.replicate"
    "   AND m.phase = r.reports - 1 ORDER BY m.step DESC, id DESC LIMIT 1),"
    " p.value, p.further"
    " FROM trial t JOIN run r ON r.trial = t.id"
    " JOIN report p ON p.trial = r.trial AND p.replicate = r.replicate"
    "  AND p.phase = r.reports - 1"
    " WHERE t.sweep = ? AND t.state = 'completed' ORDER BY t.number, r.replicate";

}  // namespace

Result<std::vector<OutcomeRow>> list_outcomes(SQLite::Database& db, SweepId sweep) {
  const auto goal = goal_of(db, sweep);
  if (!goal) return goal.error();
  SQLite::Statement s(db, std::string("SELECT ") + trial_columns + select_outcomes);
  sql::bind(s, sweep);
  std::vector<OutcomeRow> rows;
  std::vector<Mean> means;
  while (s.executeStep()) {
    sql::Columns c(s);
    TrialRow trial = read_trial(c, *goal);
    auto model = c.maybe(&sql::Columns::id<ModelId>);
    const auto values = read_values(c);
    if (rows.empty() || rows.back().trial.id != trial.id) {
      rows.push_back({std::move(trial), {}, model});
      means.assign(values.size(), {});
    }
    for (std::size_t i = 0; i < std::min(values.size(), means.size()); ++i) means[i].add(values[i]);
    rows.back().values = scores_of(means);
  }
  return rows;
}

}  // namespace hone
