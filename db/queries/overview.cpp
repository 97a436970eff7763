#include "db/queries/overview.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "db/sql.hpp"
#include "db/sums.hpp"
#include "schemas/codec/words.hpp"

namespace hone {

std::vector<EndGroup> group_ends(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db,
                      "SELECT state, reason, failure, runs, steps FROM run_group WHERE sweep = ?"
                      " ORDER BY 1, 2, 3");
  sql::bind(s, sweep);
  std::vector<EndGroup> groups;
  while (s.executeStep()) {
    sql::Columns c(s);
    EndGroup group;
    group.state = c.word<RunState>();
    group.reason = c.word<EndReason>();
    group.failure = c.word<Failure>();
    group.runs = c.integer();
    group.steps = c.integer();
    groups.push_back(group);
  }
  return groups;
}

// Runs that have reported since then, each with what it trained since: the newest report less the
// newest one before.
Pace read_pace(SQLite::Database& db, SweepId sweep, Instant since) {
  SQLite::Statement s(
      db, "SELECT count(*), " +
              sql::bounded_sum(
                  "p.step - coalesce((SELECT q.step FROM report q"
                  " WHERE q.trial = p.trial AND q.replicate = p.replicate AND q.phase < p.phase"
                  " ORDER BY q.phase DESC LIMIT 1), 0)") +
              ", min(p.at), max(p.at)"
              " FROM (SELECT trial, replicate FROM run WHERE sweep = ?1 AND ended_at IS NULL"
              "   UNION ALL SELECT trial, replicate FROM run WHERE sweep = ?1 AND ended_at >= ?2) r"
              " JOIN trial t ON t.id = r.trial"
              " JOIN report p ON p.trial = r.trial AND p.replicate = r.replicate"
              " WHERE p.at >= ?2 AND (r.replicate > 0 OR p.phase > coalesce(t.fork_phase, -1))");
  sql::bind(s, sweep, since);
  Pace pace;
  if (!s.executeStep()) return pace;
  sql::Columns c(s);
  pace.reports = c.integer();
  pace.steps = c.integer();
  pace.first = c.maybe(&sql::Columns::instant);
  pace.last = c.maybe(&sql::Columns::instant);
  return pace;
}

std::int64_t count_reports(SQLite::Database& db, const SweepRow& sweep) {
  // By the index of forks, of which there are few: the sign keeps SQLite from one of the sweep's
  // trials, each of which would be a page read.
  SQLite::Statement s(db,
                      "SELECT coalesce(sum(fork_phase + 1), 0) FROM trial"
                      " WHERE +sweep = ? AND fork_trial IS NOT NULL");
  if (!sql::bind(s, sweep.id).executeStep()) return sweep.phases_done;
  return sweep.phases_done + sql::Columns(s).integer();
}

void each_report(SQLite::Database& db, SweepId sweep,
                 const std::function<void(const ReportView&)>& use) {
  SQLite::Statement s(db,
                      "SELECT p.trial, p.replicate, t.number, p.phase, p.step, p.value, p.spent,"
                      " p.at FROM trial t JOIN report p ON p.trial = t.id WHERE t.sweep = ?"
                      " ORDER BY t.number, p.replicate, p.phase");
  sql::bind(s, sweep);
  while (s.executeStep()) {
    sql::Columns c(s);
    ReportView view;
    view.trial = c.id<TrialId>();
    view.replicate = c.small();
    view.number = c.integer();
    view.phase = c.small();
    view.step = c.integer();
    view.value = c.maybe(&sql::Columns::real);
    view.spent = c.maybe(&sql::Columns::real);
    view.at = c.instant();
    use(view);
  }
}

void each_verdict(SQLite::Database& db, SweepId sweep,
                  const std::function<void(const VerdictView&)>& use) {
  // Trials by number are next to each other in the file; by rank, each would be a page read again.
  SQLite::Statement s(db,
                      "SELECT p.phase, p.step, p.value, p.verdict FROM trial t"
                      " JOIN report p ON p.trial = t.id WHERE t.sweep = ? ORDER BY t.number");
  sql::bind(s, sweep);
  while (s.executeStep()) {
    sql::Columns c(s);
    VerdictView view;
    view.phase = c.small();
    view.step = c.integer();
    view.value = c.maybe(&sql::Columns::real);
    view.verdict = c.maybe(&sql::Columns::view).value_or(std::string_view());
    use(view);
  }
}

// In the order of trial_by_rank: after the best trial of all, the best of those before it, and so
// on, of those that the leaderboard ranks by their value. Each step begins where the one before it
// ended in that index.
std::vector<TrialMark> improvements(SQLite::Database& db, SweepId sweep, Goal goal) {
  SQLite::Statement s(db,
                      "SELECT t.id, t.number, t.cost FROM trial t JOIN sweep s ON s.id = t.sweep"
                      " WHERE t.sweep = ? AND t.cost > ? AND t.number < ? AND NOT t.failed"
                      " AND 2 * t.length >= s.longest AND 2 * t.runs >= s.most_runs"
                      " ORDER BY t.cost, t.number LIMIT 1");
  std::vector<TrialMark> marks;
  double cost = -std::numeric_limits<double>::infinity();
  std::int64_t number = std::numeric_limits<std::int64_t>::max();
  while (sql::bind(s, sweep, cost, number).executeStep()) {
    sql::Columns c(s);
    TrialMark mark;
    mark.trial = c.id<TrialId>();
    number = mark.number = c.integer();
    cost = c.real();
    const auto value = sql::score_of(cost, goal);
    if (!value || !value->has_number()) break;  // these are behind all values
    mark.value = *value;
    marks.push_back(mark);
  }
  std::ranges::reverse(marks);
  return marks;
}

std::int64_t last_number(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, "SELECT max(number) FROM trial WHERE sweep = ?");
  if (!sql::bind(s, sweep).executeStep()) return -1;
  return sql::Columns(s).maybe(&sql::Columns::integer).value_or(-1);
}

namespace {

// The points of a row of `curve`.
void copy_points(const SQLite::Column& stored, std::vector<PackedPoint>& points) {
  const auto bytes = static_cast<std::size_t>(stored.getBytes());
  points.resize(bytes / sizeof(PackedPoint));
  if (!points.empty()) std::memcpy(points.data(), stored.getBlob(), bytes);
}

}  // namespace

// A run that has not ended has no row of `curve`.
void each_curve(SQLite::Database& db, SweepId sweep,
                const std::function<void(const RunMark&, std::span<const PackedPoint>)>& use) {
  SQLite::Statement s(db,
                      "SELECT r.trial, r.replicate, t.number, r.state, r.reason, r.reports,"
                      " c.points FROM trial t JOIN run r ON r.trial = t.id"
                      " LEFT JOIN curve c ON c.trial = r.trial AND c.replicate = r.replicate"
                      " WHERE t.sweep = ? ORDER BY t.number, r.replicate");
  SQLite::Statement reports(db, select_curve);
  sql::bind(s, sweep);
  std::vector<PackedPoint> points;
  while (s.executeStep()) {
    sql::Columns c(s);
    RunMark mark;
    mark.run = c.run_id();
    mark.number = c.integer();
    mark.state = c.word<RunState>();
    mark.reason = c.word<EndReason>();
    const bool reported = c.integer() > 0;
    copy_points(s.getColumn(6), points);
    if (points.empty() && reported)
      read_points(sql::bind(reports, mark.run.trial, mark.run.replicate), points);
    use(mark, points);
  }
}

}  // namespace hone
