// Reads the attempts of all workers.
#include "db/queries/overview.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {

namespace {

constexpr const char* select_spans =
    "SELECT worker, trial, replicate, number, sweep, granted_at, ended_at, end_reason, step,"
    " iif(width = '', NULL, width ->> '$.cpus') FROM attempt ";

void each_span(SQLite::Statement& s, const std::function<void(const AttemptSpan&)>& use) {
  while (s.executeStep()) {
    sql::Columns c(s);
    AttemptSpan span;
    span.worker = c.id<WorkerId>();
    span.attempt.run = c.run_id();
    span.attempt.number = c.small();
    span.sweep = c.id<SweepId>();
    span.from = c.instant();
    span.to = c.maybe(&sql::Columns::instant);
    if (const auto reason = c.maybe(&sql::Columns::text))
      span.reason = parse_word<EndReason>(*reason);
    span.step = c.small();
    span.width = c.maybe(&sql::Columns::small);
    use(span);
  }
}

}  // namespace

void each_attempt(SQLite::Database& db, const TimelineQuery& query,
                  const std::function<void(const AttemptSpan&)>& use) {
  SQLite::Statement s(db, std::string(select_spans) +
                              "WHERE granted_at <= ?1 AND (ended_at IS NULL OR ended_at >= ?2)" +
                              (query.sweep ? " AND sweep = ?3" : "") +
                              (query.worker ? " AND worker = ?4" : "") + " ORDER BY worker, lease");
  sql::bind(s, query.to, query.from);
  if (query.sweep) sql::put(s, 3, *query.sweep);
  if (query.worker) sql::put(s, 4, *query.worker);
  each_span(s, use);
}

void each_live_attempt(SQLite::Database& db, const std::function<void(const AttemptSpan&)>& use) {
  SQLite::Statement s(db,
                      std::string(select_spans) + "WHERE ended_at IS NULL ORDER BY worker, lease");
  each_span(s, use);
}

std::vector<WorkerTime> workers_between(SQLite::Database& db, Instant from, Instant to) {
  SQLite::Statement s(db,
                      "SELECT id, cpus, joined_at, last_seen_at FROM worker"
                      " WHERE cpus > 0 AND joined_at <= ? AND last_seen_at >= ?");
  sql::bind(s, to, from);
  std::vector<WorkerTime> workers;
  while (s.executeStep()) {
    sql::Columns c(s);
    const auto id = c.id<WorkerId>();
    const int cpus = c.small();
    const Instant joined = c.instant();
    workers.push_back({id, cpus, joined, c.instant()});
  }
  return workers;
}

std::optional<Instant> first_attempt(SQLite::Database& db, std::optional<SweepId> sweep) {
  SQLite::Statement s(
      db, std::string("SELECT min(granted_at) FROM attempt") + (sweep ? " WHERE sweep = ?" : ""));
  if (sweep) sql::put(s, 1, *sweep);
  if (!s.executeStep()) return std::nullopt;
  return sql::Columns(s).maybe(&sql::Columns::instant);
}

}  // namespace hone
