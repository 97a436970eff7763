// Reads of the ledger itself, and the totals.
#include "base/expect.hpp"
#include "db/queries/follow.hpp"
#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

constexpr std::size_t any_size = static_cast<std::size_t>(-1);

EventRow read_event_row(const SQLite::Statement& s, std::size_t body_bytes_max = any_size) {
  sql::Columns c(s);
  EventRow row;
  row.seq = c.integer();
  row.at = c.instant();
  row.kind = c.text();
  row.sweep = c.maybe(&sql::Columns::id<SweepId>);
  const auto bytes = static_cast<std::size_t>(s.getColumn(4).getBytes());
  row.body =
      bytes <= body_bytes_max ? c.text() : "{\"omitted_bytes\": " + std::to_string(bytes) + "}";
  return row;
}

std::string event_key(const EventRow& row) { return std::to_string(row.seq); }

std::int64_t& count_of(Counts& counts, SweepState state) {
  switch (state) {
    case SweepState::running:
      return counts.sweeps_running;
    case SweepState::paused:
      return counts.sweeps_paused;
    case SweepState::stopping:
      return counts.sweeps_stopping;
    case SweepState::completed:
      return counts.sweeps_completed;
    case SweepState::canceled:
      return counts.sweeps_canceled;
    case SweepState::failed:
      return counts.sweeps_failed;
    case SweepState::quarantined:
      break;  // the tables have the state before
  }
  unreachable();
}

}  // namespace

Result<Page<EventRow>> list_events(SQLite::Database& db, std::int64_t after,
                                   std::optional<SweepId> sweep, std::int64_t limit,
                                   EventBytes bytes) {
  if (sweep) {
    if (auto known = find_sweep(db, *sweep); !known) return known.error();
  }
  const std::string only = sweep ? " AND sweep = ?3" : "";
  SQLite::Statement s(db, "SELECT seq, at, kind, sweep, body FROM event WHERE seq > ?1" + only +
                              " ORDER BY seq LIMIT ?2");
  sql::bind(s, after, limit + 1);
  if (sweep) sql::put(s, 3, *sweep);
  Page<EventRow> page;
  for (std::size_t held = 0; s.executeStep();) {
    if (static_cast<std::int64_t>(page.items.size()) == limit || held > bytes.page) {
      page.next = event_key(page.items.back());
      break;
    }
    page.items.push_back(read_event_row(s, bytes.event));
    held += page.items.back().body.size();
  }
  return page;
}

std::vector<EventRow> events_of_kinds(SQLite::Database& db, std::int64_t after,
                                      const std::vector<std::string>& kinds, std::int64_t limit) {
  std::string among;
  for (std::size_t i = 0; i < kinds.size(); ++i) among += i == 0 ? "?" : ", ?";
  SQLite::Statement s(
      db, "SELECT seq, at, kind, sweep, body FROM event WHERE seq > ? AND kind IN (" + among +
              ") ORDER BY seq LIMIT " + std::to_string(limit));
  int at = 0;
  sql::put(s, ++at, after);
  for (const auto& kind : kinds) sql::put(s, ++at, kind);
  std::vector<EventRow> rows;
  while (s.executeStep()) rows.push_back(read_event_row(s));
  return rows;
}

std::int64_t last_seq(SQLite::Database& db) {
  return db.execAndGet("SELECT coalesce(max(seq), 0) FROM event").getInt64();
}

std::string event_text(SQLite::Database& db, std::int64_t seq) {
  SQLite::Statement row(db,
                        "SELECT seq || ' ' || at || ' ' || kind || ' ' || body FROM event"
                        " WHERE seq = ?");
  sql::bind(row, seq);
  return row.executeStep() ? row.getColumn(0).getString() : std::string();
}

Instant last_instant(SQLite::Database& db) {
  return {db.execAndGet("SELECT coalesce((SELECT at FROM event ORDER BY seq DESC LIMIT 1), 0)")
              .getInt64()};
}

// Reads only newest ids and the counters of sweeps, never all rows of a large table.
Counts read_counts(SQLite::Database& db) {
  Snapshot snapshot(db);
  Counts counts;
  SQLite::Statement sweeps(db,
                           "SELECT state, count(*), sum(proposed), sum(reports), sum(runs_queued),"
                           " sum(runs_leased), sum(runs_running), sum(runs_paused),"
                           " sum(runs_completed), sum(runs_stopped), sum(runs_failed),"
                           " sum(runs_canceled) FROM sweep GROUP BY state");
  while (sweeps.executeStep()) {
    sql::Columns c(sweeps);
    const auto state = c.word<SweepState>();
    count_of(counts, state) = c.integer();
    RunCounts& runs = counts.runs;
    for (auto* total : {&counts.trials, &counts.reports, &runs.queued, &runs.leased, &runs.running,
                        &runs.paused, &runs.completed, &runs.stopped, &runs.failed, &runs.canceled})
      *total += c.integer();
  }
  SQLite::Statement newest(db,
                           "SELECT (SELECT coalesce(max(seq), 0) FROM event),"
                           " (SELECT coalesce(max(lease), 0) FROM attempt),"
                           " (SELECT coalesce(max(id), 0) FROM model),"
                           " (SELECT coalesce(max(id), 0) FROM worker)");
  if (newest.executeStep()) {
    sql::Columns c(newest);
    for (auto* total : {&counts.seq, &counts.attempts, &counts.models, &counts.workers})
      *total = c.integer();
  }
  return counts;
}

}  // namespace hone
