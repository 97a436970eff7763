// The real engine on a real SQLite database in memory, which may crash between any two steps and in
// any commit.
#pragma once

#include <SQLiteCpp/Database.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "server/engine/engine.hpp"
#include "tests/sim/agenda.hpp"
#include "tests/sim/faults.hpp"

namespace hone::sim {

class ServerHost {
 public:
  ServerHost(Agenda& agenda, const FaultPlan& faults, Rng& rng);

  // False when the server is down: the connection is refused.
  bool push(Envelope envelope);

  [[nodiscard]] bool up() const { return engine_ != nullptr; }
  [[nodiscard]] const Book& book() const { return engine_->book(); }
  [[nodiscard]] SQLite::Database& database() { return *db_; }
  [[nodiscard]] int crashes() const { return crashes_; }

  // Ends the process; it comes back by itself a little later.
  void crash();

 private:
  void boot();
  void step();
  void schedule_step();
  void check_replay();
  void check_waiting() const;

  Agenda& agenda_;
  const FaultPlan& faults_;
  Rng& rng_;
  std::unique_ptr<SQLite::Database> db_;
  std::unique_ptr<Engine> engine_;
  std::vector<Envelope> inbox_;
  std::map<std::int64_t, Command> unanswered_;  // by number of arrival, in this life
  std::int64_t arrivals_ = 0;
  std::optional<Instant> step_at_;
  int crashes_ = 0;
};

// The Book that the ledger alone tells.
Book replayed(SQLite::Database& db);

}  // namespace hone::sim
