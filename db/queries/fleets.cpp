// Reads of the fleets and their pilots.
#include <limits>

#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

constexpr const char* fleet_columns =
    "SELECT id, name, state, detail, spec, want, rule, rule_detail, decided_at, created_at,"
    " stopped_at,"
    " (SELECT count(*) FROM pilot WHERE fleet = f.id AND ended_at IS NULL),"
    " (SELECT count(*) FROM pilot WHERE fleet = f.id AND ended_at IS NULL AND worker IS NOT NULL)"
    " FROM fleet f ";

FleetRow read_fleet(const SQLite::Statement& s) {
  sql::Columns c(s);
  FleetRow row;
  row.id = c.id<FleetId>();
  row.name = c.text();
  row.state = c.word<FleetState>();
  row.detail = c.text();
  row.spec = c.text();
  row.want = c.small();
  row.rule = c.word<FleetRule>();
  row.rule_detail = c.text();
  row.decided_at = c.maybe(&sql::Columns::instant);
  row.created_at = c.instant();
  row.stopped_at = c.maybe(&sql::Columns::instant);
  row.pilots = c.small();
  row.joined = c.small();
  return row;
}

constexpr const char* pilot_columns =
    "SELECT id, fleet, state, rule, rule_detail, handle, worker, canceled, end_rule, detail,"
    " wanted_at, joined_at, ended_at FROM pilot ";

std::optional<FleetRule> read_rule(sql::Columns& c) {
  const auto name = c.maybe(&sql::Columns::text);
  return name ? parse_word<FleetRule>(*name) : std::nullopt;
}

PilotRow read_pilot(const SQLite::Statement& s) {
  sql::Columns c(s);
  PilotRow row;
  row.id = c.id<PilotId>();
  row.fleet = c.id<FleetId>();
  row.state = c.word<PilotState>();
  row.rule = c.word<FleetRule>();
  row.rule_detail = c.text();
  row.handle = c.text();
  row.worker = c.maybe(&sql::Columns::id<WorkerId>);
  row.canceled = read_rule(c);
  row.end_rule = read_rule(c);
  row.detail = c.text();
  row.wanted_at = c.instant();
  row.joined_at = c.maybe(&sql::Columns::instant);
  row.ended_at = c.maybe(&sql::Columns::instant);
  return row;
}

constexpr std::int64_t newest_id = std::numeric_limits<std::int64_t>::max();

}  // namespace

Result<Page<FleetRow>> list_fleets(SQLite::Database& db, const PageQuery& page) {
  const auto before = integer_cursor(page, newest_id);
  if (!before) return before.error();
  SQLite::Statement s(db, std::string(fleet_columns) + "WHERE id < ? ORDER BY id DESC LIMIT ?");
  sql::bind(s, *before, page.limit + 1);
  return read_page<FleetRow>(s, page.limit, read_fleet,
                             [](const FleetRow& row) { return std::to_string(row.id.value); });
}

std::optional<FleetRow> find_fleet(SQLite::Database& db, FleetId id) {
  SQLite::Statement s(db, std::string(fleet_columns) + "WHERE id = ?");
  sql::bind(s, id);
  if (!s.executeStep()) return std::nullopt;
  return read_fleet(s);
}

std::optional<PilotRow> find_pilot(SQLite::Database& db, PilotId id) {
  SQLite::Statement s(db, std::string(pilot_columns) + "WHERE id = ?");
  sql::bind(s, id);
  if (!s.executeStep()) return std::nullopt;
  return read_pilot(s);
}

Result<Page<PilotRow>> list_pilots(SQLite::Database& db, FleetId fleet, const PageQuery& page) {
  const auto before = integer_cursor(page, newest_id);
  if (!before) return before.error();
  SQLite::Statement s(
      db, std::string(pilot_columns) + "WHERE fleet = ? AND id < ? ORDER BY id DESC LIMIT ?");
  sql::bind(s, fleet, *before, page.limit + 1);
  return read_page<PilotRow>(s, page.limit, read_pilot,
                             [](const PilotRow& row) { return std::to_string(row.id.value); });
}

}  // namespace hone
