// A fleet and its pilots, as rows.
#pragma once

#include <optional>
#include <string>

#include "db/queries/described.hpp"
#include "schemas/types/fleet.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

struct FleetRow {
  FleetId id;
  std::string name;
  FleetState state = FleetState::running;
  std::string detail;
  std::string spec;  // JSON text as encode(FleetSpec) wrote it
  int want = 0;
  FleetRule rule = FleetRule::enough;
  std::string rule_detail;
  std::optional<Instant> decided_at;
  Instant created_at;
  std::optional<Instant> stopped_at;
  int pilots = 0;
  int joined = 0;
};

struct PilotRow {
  PilotId id;
  FleetId fleet;
  PilotState state = PilotState::wanted;
  FleetRule rule = FleetRule::demand;
  std::string rule_detail;
  std::string handle;
  std::optional<WorkerId> worker;
  std::optional<FleetRule> canceled;
  std::optional<FleetRule> end_rule;
  std::string detail;
  Instant wanted_at;
  std::optional<Instant> joined_at;
  std::optional<Instant> ended_at;
};

namespace row {

void fields(auto& f, Of<FleetRow> auto& r) {
  f("id", r.id, "id")("name", r.name, "name")("state", r.state, "state");
  f("detail", r.detail, "detail", "Why it is in this state");
  f("want", r.want, "want", "Pilots, as decided last");
  f("pilots", r.pilots, "(SELECT count(*) FROM pilot WHERE fleet = f.id AND ended_at IS NULL)",
    "Not ended");
  f("joined", r.joined,
    "(SELECT count(*) FROM pilot WHERE fleet = f.id AND ended_at IS NULL AND worker IS NOT NULL)",
    "Of them");
  f("rule", r.rule, "rule", "Why it wants no more")("rule_detail", r.rule_detail, "rule_detail");
  f.computed("engine_trouble", "#/components/schemas/engine_trouble");
  f("decided_at", r.decided_at, "decided_at")("created_at", r.created_at, "created_at");
  f("stopped_at", r.stopped_at, "stopped_at");
  f.stored("spec", r.spec, "spec", "v1/fleet_spec.json", "", None::text);
}

void fields(auto& f, Of<PilotRow> auto& r) {
  f("id", r.id, "id")("fleet", r.fleet, "fleet")("state", r.state, "state");
  f("rule", r.rule, "rule", "Why it was wanted")("rule_detail", r.rule_detail, "rule_detail");
  f("handle", r.handle, "handle", "The engine's name of it")("worker", r.worker, "worker");
  f("canceled", r.canceled, "canceled")("end_rule", r.end_rule, "end_rule");
  f("detail", r.detail, "detail", "As the engine reported it last");
  f("wanted_at", r.wanted_at, "wanted_at")("joined_at", r.joined_at, "joined_at");
  f("ended_at", r.ended_at, "ended_at");
}

}  // namespace row
}  // namespace hone
