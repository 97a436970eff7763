// Reads the attempts of all workers.
#include "db/queries/overview.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {

void each_attempt(SQLite::Database& db, const TimelineQuery& query,
                  const std::function<void(const AttemptSpan&)>& use) {
  SQLite::Statement s(
      db, std::string("SELECT worker, trial, replicate, number, sweep, granted_at, ended_at,"
                      " end_reason FROM attempt WHERE granted_at <= ?1"
                      " AND (ended_at IS NULL OR ended_at >= ?2)") +
              (query.sweep ? " AND sweep = ?3" : "") + " ORDER BY worker, lease");
  sql::bind(s, query.to, query.from);
  if (query.sweep) sql::put(s, 3, *query.sweep);
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
    use(span);
  }
}

std::optional<Instant> first_attempt(SQLite::Database& db, std::optional<SweepId> sweep) {
  SQLite::Statement s(
      db, std::string("SELECT min(granted_at) FROM attempt") + (sweep ? " WHERE sweep = ?" : ""));
  if (sweep) sql::put(s, 1, *sweep);
  if (!s.executeStep()) return std::nullopt;
  return sql::Columns(s).maybe(&sql::Columns::instant);
}

}  // namespace hone
