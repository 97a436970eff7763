#include "db/queries/past.hpp"

#include <SQLiteCpp/Statement.h>

#include <utility>

#include "db/ledger/chain.hpp"
#include "db/ledger/ledger.hpp"
#include "db/sql.hpp"
#include "schemas/types/event.hpp"

namespace hone {
namespace {

Error too_many(const char* what, std::size_t most) {
  return refuse(Code::too_large, "the sweep has more than " + std::to_string(most) + " " + what +
                                     ": copy the data folder with hone db backup instead");
}

std::string list_of(const std::vector<SweepId>& sweeps) {
  std::string list;
  for (const SweepId sweep : sweeps)
    list += (list.empty() ? "" : ", ") + std::to_string(sweep.value);
  return list;
}

}  // namespace

Result<std::vector<Event>> read_past(SQLite::Database& db, SweepId sweep, std::size_t events_max) {
  SQLite::Statement s(db, "SELECT seq, at, kind, body FROM event WHERE sweep = ? ORDER BY seq");
  sql::bind(s, sweep);
  std::vector<Event> events;
  while (s.executeStep()) {
    Event event = read_event(s);
    if (auto* imported = std::get_if<SweepImported>(&event.body))
      events = std::move(imported->past);
    else
      events.push_back(std::move(event));
    if (events.size() > events_max) return too_many("events", events_max);
  }
  return events;
}

std::vector<SweepId> replay_sources(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement rows(db,
                         "WITH RECURSIVE source (id) AS ("
                         " SELECT ?1 UNION SELECT id FROM sweep WHERE confirms = ?1"
                         " UNION SELECT w.earlier FROM source s JOIN warm_start w ON w.sweep = s.id"
                         " UNION SELECT p.confirms FROM source s JOIN sweep p ON p.id = s.id"
                         "  WHERE p.confirms IS NOT NULL)"
                         " SELECT id FROM source ORDER BY id");
  sql::bind(rows, sweep);
  std::vector<SweepId> sweeps;
  while (rows.executeStep()) sweeps.push_back({rows.getColumn(0).getInt64()});
  return sweeps;
}

std::optional<SweepId> sweep_submitted(SQLite::Database& db, Instant at, std::uint64_t seed) {
  SQLite::Statement row(db,
                        "SELECT id FROM sweep WHERE submitted_at = ? AND seed = ?"
                        " AND json_extract(spec, '$.confirms') IS NULL ORDER BY id DESC LIMIT 1");
  sql::bind(row, at, static_cast<std::int64_t>(seed));
  if (!row.executeStep()) return std::nullopt;
  return SweepId{row.getColumn(0).getInt64()};
}

std::vector<SweepId> confirmations_of(SQLite::Database& db, SweepId sweep, std::uint64_t seed) {
  SQLite::Statement rows(db, "SELECT id FROM sweep WHERE confirms = ? AND seed = ? ORDER BY id");
  sql::bind(rows, sweep, static_cast<std::int64_t>(seed));
  std::vector<SweepId> sweeps;
  while (rows.executeStep()) sweeps.push_back({rows.getColumn(0).getInt64()});
  return sweeps;
}

std::optional<SweepId> confirmed_by(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement row(db, "SELECT confirms FROM sweep WHERE id = ? AND confirms IS NOT NULL");
  sql::bind(row, sweep);
  if (!row.executeStep()) return std::nullopt;
  return SweepId{row.getColumn(0).getInt64()};
}

namespace {

// Empty where the event has no link.
std::string text_of_link(SQLite::Database& db, std::int64_t seq) {
  const Link link = link_of(db, seq);
  return link.empty() ? std::string() : std::to_string(seq) + ":" + link_text(link);
}

}  // namespace

std::string newest_link(SQLite::Database& db, const std::vector<SweepId>& sweeps) {
  SQLite::Statement newest(db, "SELECT seq, at, kind, body FROM event WHERE sweep IN (" +
                                   list_of(sweeps) + ") ORDER BY seq DESC LIMIT 1");
  if (!newest.executeStep()) return {};
  const Event event = read_event(newest);
  if (const auto* imported = std::get_if<SweepImported>(&event.body)) return imported->ledger;
  return text_of_link(db, event.seq);
}

std::string own_link(SQLite::Database& db, const std::vector<SweepId>& sweeps) {
  SQLite::Statement newest(
      db, "SELECT coalesce(max(seq), 0) FROM event WHERE sweep IN (" + list_of(sweeps) + ")");
  newest.executeStep();
  return text_of_link(db, newest.getColumn(0).getInt64());
}

Status visit_events(SQLite::Database& db, const std::vector<SweepId>& sweeps,
                    std::size_t events_max, const std::function<void(const Event&)>& visit) {
  const std::string of = " FROM event WHERE sweep IN (" + list_of(sweeps) + ")";
  if (std::cmp_greater(db.execAndGet("SELECT count(*)" + of).getInt64(), events_max))
    return too_many("events, with those of the sweeps that it rests on", events_max);
  SQLite::Statement s(db, "SELECT seq, at, kind, body" + of + " ORDER BY seq");
  while (s.executeStep()) visit(read_event(s));
  return Done{};
}

Result<std::vector<Series>> read_series(SQLite::Database& db, SweepId sweep,
                                        std::size_t points_max) {
  SQLite::Statement s(db,
                      "SELECT m.trial, m.replicate, m.name, m.step, m.value, m.at FROM trial t"
                      " CROSS JOIN metric_point m ON m.trial = t.id WHERE t.sweep = ?"
                      " ORDER BY m.trial, m.replicate, m.name, m.step");
  sql::bind(s, sweep);
  std::vector<Series> all;
  for (std::size_t count = 0; s.executeStep(); ++count) {
    if (count == points_max) return too_many("metric points", points_max);
    sql::Columns c(s);
    const RunId run = c.run_id();
    auto name = c.text();
    if (all.empty() || all.back().run != run || all.back().name != name)
      all.push_back({run, std::move(name), {}});
    const auto step = c.integer();
    const double value = c.real();
    all.back().points.push_back({step, value, c.instant()});
  }
  return all;
}

}  // namespace hone
