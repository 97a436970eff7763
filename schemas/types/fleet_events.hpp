// What can happen to fleets and their pilots: some of the events of schemas/types/event.hpp.
#pragma once

#include <string>

#include "base/boxed.hpp"
#include "schemas/types/fleet.hpp"
#include "schemas/types/ids.hpp"

namespace hone {

// A fleet is created or changed. `mark` distinguishes the pilots of this fleet from all others at
// its engine.
struct FleetSet {
  FleetId fleet;
  std::string request_id;
  std::string mark;
  Boxed<FleetSpec> spec;
  TokenId by{};
};

struct FleetSteered {
  FleetId fleet;
  FleetState state = FleetState::running;
  std::string detail{};
};

// How many pilots the fleet wants from here on, and by which rule it wants no more.
struct FleetDecided {
  FleetId fleet;
  int want = 0;
  FleetRule rule = FleetRule::enough;
  std::string detail{};
};

// The intent to submit a pilot: recorded before its engine is called.
struct PilotWanted {
  PilotId pilot;
  FleetId fleet;
  FleetRule rule = FleetRule::demand;
  std::string detail{};
};

// What the engine reports about a pilot, where it is new.
struct PilotSeen {
  PilotId pilot;
  FleetId fleet;
  PilotState state = PilotState::pending;
  std::string handle{};  // the engine's name of it
  std::string detail{};
};

// The engine is to end the pilot.
struct PilotCanceled {
  PilotId pilot;
  FleetId fleet;
  FleetRule rule = FleetRule::surplus;
};

struct PilotEnded {
  PilotId pilot;
  FleetId fleet;
  FleetRule rule = FleetRule::completed;
  std::string detail{};
};

}  // namespace hone
