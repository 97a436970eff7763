// A fleet and its pilots, as rows.
#pragma once

#include <optional>
#include <string>

#include "schemas/types/fleet.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

struct FleetRow {
  FleetId id;
  std::string name;
  FleetState state = FleetState::running;
  std::string detail;  // why it is in this state
  std::string spec;    // JSON text as encode(FleetSpec) wrote it
  int want = 0;        // pilots, as decided last, and why no more
  FleetRule rule = FleetRule::enough;
  std::string rule_detail;
  std::optional<Instant> decided_at;
  Instant created_at;
  std::optional<Instant> stopped_at;
  int pilots = 0;  // not ended
  int joined = 0;  // of them
};

struct PilotRow {
  PilotId id;
  FleetId fleet;
  PilotState state = PilotState::wanted;
  FleetRule rule = FleetRule::demand;  // why it was wanted
  std::string rule_detail;
  std::string handle;
  std::optional<WorkerId> worker;
  std::optional<FleetRule> canceled;
  std::optional<FleetRule> end_rule;
  std::string detail;  // as the engine reported it last
  Instant wanted_at;
  std::optional<Instant> joined_at;
  std::optional<Instant> ended_at;
};

}  // namespace hone
