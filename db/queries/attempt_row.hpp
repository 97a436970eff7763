// An attempt as the queries return it. Part of rows.hpp.
#pragma once

#include <optional>
#include <string>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/states.hpp"

namespace hone {

struct AttemptRow {
  AttemptId id;
  SweepId sweep;
  WorkerId worker;
  std::string host;  // of that worker
  LeaseId lease;
  Instant granted_at;
  std::optional<Instant> started_at;  // the first sign of life
  std::optional<Instant> ended_at;
  std::optional<EndReason> end_reason;  // present once ended
  std::string detail;
  std::optional<ModelId> resume;  // the checkpoint it continued from
  Failure failure = Failure::none;
  std::optional<WorkflowId> workflow{};  // the code that it executed, if its worker recorded it
  std::string differs{};  // from the submission in: words of "commit patch environment hone"
  std::string step{};     // of its run's pipeline; empty without one
  bool finished = false;
  std::string turn{};        // JSON: why its sweep came before others; empty where none waited
  std::string width{};       // JSON: why it got so many slots; empty where their number is fixed
  std::string neighbours{};  // JSON: what it had next to it; empty where that was not measured
};

}  // namespace hone
