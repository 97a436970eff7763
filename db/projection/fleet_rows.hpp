// The part of the projection behind fleets (migrations/0018_fleets.sql). Internal to db.
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>

#include "schemas/types/event.hpp"

namespace hone {

struct FleetStatements;

class FleetRows {
 public:
  // Prepares its statements once.
  explicit FleetRows(SQLite::Database& db);
  ~FleetRows();

  void add(const FleetSet& e, Instant at);
  void add(const FleetSteered& e, Instant at);
  void add(const FleetDecided& e, Instant at);
  void add(const PilotWanted& e, Instant at);
  void add(const PilotSeen& e, Instant at);
  void add(const PilotCanceled& e);
  void add(const PilotEnded& e, Instant at);
  void joined(PilotId pilot, WorkerId worker, Instant at);

 private:
  std::unique_ptr<FleetStatements> statements_;
};

}  // namespace hone
