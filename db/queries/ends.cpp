// How the runs of a sweep ended, and how long they trained.
#include <algorithm>

#include "db/queries/overview.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {

EndedEarly runs_ended_early(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db,
                      "SELECT trial, replicate, reports FROM run WHERE sweep = ?"
                      " AND ended_at IS NOT NULL AND reason = 'exited_early'"
                      " ORDER BY trial, replicate");
  EndedEarly early;
  for (sql::bind(s, sweep); s.executeStep();) {
    sql::Columns c(s);
    const RunId run = c.run_id();
    const int phases = c.small();
    if (early.runs == 0) early = {0, phases, phases, run};
    ++early.runs;
    early.least = std::min(early.least, phases);
    early.most = std::max(early.most, phases);
  }
  return early;
}

void each_failed_run(SQLite::Database& db, SweepId sweep, std::int64_t limit,
                     const std::function<void(const FailedRun&)>& use) {
  SQLite::Statement s(db,
                      "SELECT trial, replicate, reason, failure, detail, substr(log_tail, -2000)"
                      " FROM run WHERE sweep = ? AND ended_at IS NOT NULL AND state = 'failed'"
                      " ORDER BY trial, replicate LIMIT ?");
  for (sql::bind(s, sweep, limit); s.executeStep();) {
    sql::Columns c(s);
    FailedRun run;
    run.id = c.run_id();
    run.reason = c.word<EndReason>();
    run.failure = c.word<Failure>();
    run.detail = c.text();
    run.log_tail = c.text();
    use(run);
  }
}

// By the starts of the attempts, so that one pass joins those that overlap.
WorkTime work_time(SQLite::Database& db, SweepId sweep, Instant from, Instant to) {
  SQLite::Statement s(
      db,
      "SELECT max(a.granted_at, ?2), min(coalesce(a.ended_at, ?3), ?3)"
      " FROM (SELECT trial, replicate FROM run WHERE sweep = ?1 AND ended_at IS NULL"
      "   UNION ALL SELECT trial, replicate FROM run WHERE sweep = ?1 AND ended_at > ?2) r"
      " JOIN attempt a ON a.trial = r.trial AND a.replicate = r.replicate"
      " WHERE a.granted_at < ?3 AND (a.ended_at IS NULL OR a.ended_at > ?2)"
      " ORDER BY a.granted_at");
  WorkTime time;
  Instant reached = from;
  for (sql::bind(s, sweep, from, to); s.executeStep();) {
    sql::Columns c(s);
    const Instant begin = c.instant(), end = c.instant();
    time.of_runs = time.of_runs + (end - begin);
    if (end <= reached) continue;
    time.busy = time.busy + (end - std::max(begin, reached));
    reached = end;
  }
  return time;
}

}  // namespace hone
