#include "db/queries/completed.hpp"

#include "db/sql.hpp"

namespace hone {

std::vector<CompletedRun> newest_completed_runs(SQLite::Database& db,
                                                const CompletedRunQuery& query) {
  SQLite::Statement s(
      db,
      "SELECT r.trial, r.replicate, w.phases"
      " FROM (SELECT lease, trial, replicate, number FROM attempt ORDER BY lease DESC LIMIT ?1) a"
      " JOIN run r ON r.trial = a.trial AND r.replicate = a.replicate AND r.attempts = a.number"
      " JOIN sweep w ON w.id = r.sweep"
      " WHERE r.state = 'completed' AND r.reports >= w.phases AND r.reports >= ?2"
      " ORDER BY a.lease DESC LIMIT ?3");
  sql::bind(s, query.attempts_max, query.reports_min, query.runs_max);
  std::vector<CompletedRun> runs;
  while (s.executeStep()) {
    sql::Columns c(s);
    const RunId run = c.run_id();
    runs.push_back({run, c.small()});
  }
  return runs;
}

std::vector<SweepId> newest_completed_sweeps(SQLite::Database& db,
                                             const CompletedSweepQuery& query) {
  SQLite::Statement s(
      db,
      "SELECT id FROM (SELECT id, state, reports, imported_at FROM sweep ORDER BY id DESC LIMIT ?1)"
      " WHERE state = 'completed' AND imported_at IS NULL AND reports BETWEEN 1 AND ?2"
      " ORDER BY id DESC LIMIT ?3");
  sql::bind(s, query.scanned_max, query.reports_max, query.sweeps_max);
  std::vector<SweepId> sweeps;
  while (s.executeStep()) sweeps.push_back(sql::Columns(s).id<SweepId>());
  return sweeps;
}

SweepCounts counts_at(SQLite::Database& db, SweepId sweep, Instant at) {
  SQLite::Statement s(
      db,
      "SELECT count(*) FILTER (WHERE attempts > 0), count(*) FILTER (WHERE live > 0),"
      " count(*) FILTER (WHERE attempts > 0 AND ended_at <= ?2)"
      " FROM (SELECT r.ended_at, count(a.lease) AS attempts,"
      "   count(a.lease) FILTER (WHERE a.ended_at IS NULL OR a.ended_at > ?2) AS live"
      "  FROM run r LEFT JOIN attempt a ON a.trial = r.trial AND a.replicate = r.replicate"
      "   AND a.granted_at <= ?2"
      "  WHERE r.sweep = ?1 GROUP BY r.trial, r.replicate)");
  sql::bind(s, sweep, at);
  SweepCounts counts;
  if (!s.executeStep()) return counts;
  sql::Columns c(s);
  counts.started = c.integer();
  counts.training = c.integer();
  counts.ended = c.integer();
  counts.phases = reports_between(db, sweep, Instant{}, at);
  return counts;
}

std::int64_t reports_between(SQLite::Database& db, SweepId sweep, Instant from, Instant to) {
  SQLite::Statement s(db,
                      "SELECT count(*) FROM run r JOIN trial t ON t.id = r.trial"
                      " JOIN report p ON p.trial = r.trial AND p.replicate = r.replicate"
                      " WHERE r.sweep = ?1 AND p.at > ?2 AND p.at <= ?3"
                      " AND (r.replicate > 0 OR p.phase > coalesce(t.fork_phase, -1))");
  sql::bind(s, sweep, from, to);
  if (!s.executeStep()) return 0;
  return sql::Columns(s).integer();
}

}  // namespace hone
