// Reads of the fleets and their pilots.
#include <limits>

#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/queries/read.hpp"

namespace hone {
namespace {

std::string select_fleets() { return "SELECT " + row::columns<FleetRow>() + " FROM fleet f "; }
std::string select_pilots() { return "SELECT " + row::columns<PilotRow>() + " FROM pilot "; }

constexpr std::int64_t newest_id = std::numeric_limits<std::int64_t>::max();

}  // namespace

Result<Page<FleetRow>> list_fleets(SQLite::Database& db, const PageQuery& page) {
  const auto before = integer_cursor(page, newest_id);
  if (!before) return before.error();
  SQLite::Statement s(db, select_fleets() + "WHERE id < ? ORDER BY id DESC LIMIT ?");
  sql::bind(s, *before, page.limit + 1);
  return read_page<FleetRow>(s, page.limit,
                             [](const FleetRow& row) { return std::to_string(row.id.value); });
}

std::optional<FleetRow> find_fleet(SQLite::Database& db, FleetId id) {
  SQLite::Statement s(db, select_fleets() + "WHERE id = ?");
  sql::bind(s, id);
  if (!s.executeStep()) return std::nullopt;
  return row::read<FleetRow>(s);
}

std::optional<PilotRow> find_pilot(SQLite::Database& db, PilotId id) {
  SQLite::Statement s(db, select_pilots() + "WHERE id = ?");
  sql::bind(s, id);
  if (!s.executeStep()) return std::nullopt;
  return row::read<PilotRow>(s);
}

Result<Page<PilotRow>> list_pilots(SQLite::Database& db, FleetId fleet, const PageQuery& page) {
  const auto before = integer_cursor(page, newest_id);
  if (!before) return before.error();
  SQLite::Statement s(db, select_pilots() + "WHERE fleet = ? AND id < ? ORDER BY id DESC LIMIT ?");
  sql::bind(s, fleet, *before, page.limit + 1);
  return read_page<PilotRow>(s, page.limit,
                             [](const PilotRow& row) { return std::to_string(row.id.value); });
}

}  // namespace hone
