#include "db/queries/past.hpp"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "db/ledger/chain.hpp"
#include "db/ledger/event_text.hpp"
#include "db/ledger/ledger.hpp"
#include "db/queries/past_reader.hpp"
#include "db/sql.hpp"
#include "schemas/codec/json.hpp"
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
                        " AND json_extract(spec, '$.confirms') IS NULL"
                        " AND id NOT IN (SELECT sweep FROM unfinished_import)"
                        " ORDER BY id DESC LIMIT 1");
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

// Returns the ledger that an imported sweep was exported from: the last member of its event, whose
// length is bounded.
std::string origin_of_import(SQLite::Database& db, std::int64_t seq) {
  constexpr std::size_t tail_bytes = 1024;
  constexpr std::string_view key = ",\"ledger\":";
  const std::size_t bytes = body_bytes(db, seq);
  const auto tail = read_body(db, seq, bytes - std::min(bytes, tail_bytes), tail_bytes);
  const auto at = tail.rfind(key);
  if (at == std::string::npos) return {};
  const auto last = parse_json("{" + tail.substr(at + 1));
  return last && last->size() == 1 ? last->at("ledger").get<std::string>() : std::string();
}

// Empty where the event has no link.
std::string text_of_link(SQLite::Database& db, std::int64_t seq) {
  const Link link = link_of(db, seq);
  return link.empty() ? std::string() : std::to_string(seq) + ":" + link_text(link);
}

}  // namespace

std::string newest_link(SQLite::Database& db, const std::vector<SweepId>& sweeps) {
  SQLite::Statement newest(db, "SELECT seq, kind FROM event WHERE sweep IN (" + list_of(sweeps) +
                                   ") ORDER BY seq DESC LIMIT 1");
  if (!newest.executeStep()) return {};
  const auto seq = newest.getColumn(0).getInt64();
  return is_import(newest.getColumn(1).getString()) ? origin_of_import(db, seq)
                                                    : text_of_link(db, seq);
}

std::string own_link(SQLite::Database& db, const std::vector<SweepId>& sweeps) {
  SQLite::Statement newest(
      db, "SELECT coalesce(max(seq), 0) FROM event WHERE sweep IN (" + list_of(sweeps) + ")");
  newest.executeStep();
  return text_of_link(db, newest.getColumn(0).getInt64());
}

Status visit_events(SQLite::Database& db, const std::vector<SweepId>& sweeps, SweepId own,
                    std::size_t events_max, const VisitEvent& visit) {
  const std::string of = " FROM event WHERE sweep IN (" + list_of(sweeps) + ")";
  if (std::cmp_greater(db.execAndGet("SELECT count(*)" + of).getInt64(), events_max))
    return too_many("events, with those of the sweeps that it rests on", events_max);
  SQLite::Statement s(db, "SELECT seq, at, kind, body, sweep" + of + " ORDER BY seq");
  while (s.executeStep()) {
    const SweepId sweep{s.getColumn(4).getInt64()};
    if (sweep != own || !is_import(s.getColumn(2).getString())) {
      visit(read_event(s), false);
      continue;
    }
    ImportedEvents imported(s.getColumn(0).getInt64());
    while (imported.read(db, [&](const Event& event) { visit(event, true); })) {
    }
  }
  return Done{};
}

}  // namespace hone
