#include "db/projection/fleet_rows.hpp"

#include <nlohmann/json.hpp>

#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/event.hpp"

namespace hone {

struct FleetStatements {
  explicit FleetStatements(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;

  SQLite::Statement set_fleet{
      db,
      "INSERT INTO fleet (id, name, state, spec, created_at) VALUES (?1, ?2, ?3, ?4, ?5)"
      " ON CONFLICT (id) DO UPDATE SET name = ?2, state = ?3, detail = '', spec = ?4"};
  SQLite::Statement steer_fleet{
      db, "UPDATE fleet SET state = ?2, detail = ?3, stopped_at = ?4 WHERE id = ?1"};
  SQLite::Statement decide_fleet{
      db, "UPDATE fleet SET want = ?2, rule = ?3, rule_detail = ?4, decided_at = ?5 WHERE id = ?1"};
  SQLite::Statement want_pilot{db,
                               "INSERT INTO pilot (id, fleet, state, rule, rule_detail, wanted_at)"
                               " VALUES (?, ?, ?, ?, ?, ?)"};
  SQLite::Statement see_pilot{
      db,
      "INSERT INTO pilot (id, fleet, state, rule, handle, detail, wanted_at)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO UPDATE SET state = ?3,"
      " handle = iif(?5 = '', handle, ?5), detail = ?6, end_rule = NULL, ended_at = NULL"};
  SQLite::Statement cancel_pilot{db, "UPDATE pilot SET canceled = ?2 WHERE id = ?1"};
  SQLite::Statement end_pilot{
      db, "UPDATE pilot SET state = ?2, end_rule = ?3, detail = ?4, ended_at = ?5 WHERE id = ?1"};
  SQLite::Statement join_pilot{
      db, "UPDATE pilot SET state = ?2, worker = ?3, joined_at = ?4 WHERE id = ?1"};
};

FleetRows::FleetRows(SQLite::Database& db) : statements_(std::make_unique<FleetStatements>(db)) {}
FleetRows::~FleetRows() = default;

void FleetRows::add(const FleetSet& e, Instant at) {
  sql::run(statements_->set_fleet, e.fleet, e.spec->name, word(FleetState::running),
           to_text(encode(*e.spec)), at);
}

void FleetRows::add(const FleetSteered& e, Instant at) {
  const bool stopped = e.state == FleetState::stopped;
  sql::run(statements_->steer_fleet, e.fleet, word(e.state), e.detail,
           stopped ? std::optional(at) : std::nullopt);
}

void FleetRows::add(const FleetDecided& e, Instant at) {
  sql::run(statements_->decide_fleet, e.fleet, e.want, word(e.rule), e.detail, at);
}

void FleetRows::add(const PilotWanted& e, Instant at) {
  sql::run(statements_->want_pilot, e.pilot, e.fleet, word(PilotState::wanted), word(e.rule),
           e.detail, at);
}

void FleetRows::add(const PilotSeen& e, Instant at) {
  sql::run(statements_->see_pilot, e.pilot, e.fleet, word(e.state), word(FleetRule::adopted),
           e.handle, e.detail, at);
}

void FleetRows::add(const PilotCanceled& e) {
  sql::run(statements_->cancel_pilot, e.pilot, word(e.rule));
}

void FleetRows::add(const PilotEnded& e, Instant at) {
  sql::run(statements_->end_pilot, e.pilot, word(PilotState::ended), word(e.rule), e.detail, at);
}

void FleetRows::joined(PilotId pilot, WorkerId worker, Instant at) {
  sql::run(statements_->join_pilot, pilot, word(PilotState::running), worker, at);
}

}  // namespace hone
