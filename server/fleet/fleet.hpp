// A fleet as the Book holds it, what its engine reports, and what the engine is to do. Pure data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/types/fleet.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

// Rows of server/engines/table.cpp, in their order.
inline constexpr std::array<std::string_view, 4> engine_names{"local", "slurm", "ssh", "command"};

struct Pilot {
  PilotId id{};
  FleetRule rule = FleetRule::demand;  // why it was wanted
  PilotState state = PilotState::wanted;
  Instant state_at{};  // since when
  std::string handle{};
  WorkerId worker{};  // as which it joined; none: it has not
  std::optional<FleetRule> canceled{};
};

struct Fleet {
  FleetId id{};
  std::string mark{};
  FleetSpec spec{};
  FleetState state = FleetState::running;
  std::map<PilotId, Pilot> pilots{};  // those not ended
  int want = 0;                       // as decided last
  FleetRule rule = FleetRule::enough;
  Instant decided_at{};
  int failures = 0;  // pilots in a row that ended without having joined
  Instant failed_at{};
  std::string failure{};       // the last of them, as the engine reported it
  std::optional<int> limit{};  // pilots that were there when the engine took no more
  Instant limited_at{};
};

// "hone-1a2b3c4d-pi_42": goes with every submission, and back in every list and join.
std::string pilot_token(const std::string& mark, PilotId pilot);
struct PilotToken {
  std::string mark;
  PilotId pilot;
};
std::optional<PilotToken> parse_pilot_token(std::string_view text);

enum class Submission { accepted, rejected, unknown };

struct SubmitResult {
  PilotId pilot{};
  Submission outcome = Submission::unknown;
  std::string handle{};
  std::string detail{};    // as the engine printed it
  bool permanent = false;  // the engine would reject every other one, too
  bool limited = false;    // the engine takes no more jobs of this account now
};

struct ListedPilot {
  PilotId pilot{};
  PilotState state = PilotState::running;
  bool failed = false;  // with `ended`
  std::string handle{};
  std::string detail{};  // of a pilot that waits: why, empty if it is what the last list said
};

struct Listing {
  std::vector<ListedPilot> pilots{};
  Duration confirm{};                 // how far apart two lists must be for their silence to count
  std::vector<std::string> silent{};  // it does not cover pilots whose handles begin with these
  std::string trouble{};              // why it does not cover them
};

// What happened at the engine of one fleet since the last report.
struct FleetNews {
  FleetId fleet{};
  std::vector<SubmitResult> submitted{};
  std::set<PilotId> queued{};  // not submitted yet, which will follow
  std::optional<Listing> listing{};
};

// How much work there is for one fleet.
struct FleetLoad {
  std::int64_t waiting = 0;   // pilots that the waiting runs could fill
  std::set<WorkerId> busy{};  // workers with a lease
  std::string detail{};       // of runs that no pilot of this fleet can take
};

struct PilotOrder {
  PilotId pilot{};
  std::string token{};
  std::string handle{};
  bool stays = false;  // it does not leave when it is idle
};

// What the engine of one fleet is to do.
struct FleetOrder {
  FleetId fleet{};
  std::string mark{};
  FleetSpec spec{};
  std::vector<PilotOrder> submit{};
  std::vector<PilotOrder> cancel{};
  bool unsure = false;  // a list is needed soon
};

}  // namespace hone
