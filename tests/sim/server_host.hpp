// The real server without its sockets: router, parsing, engine, ledger and rendering, with SQLite
// on a disk that fails. It may crash between any two steps and in any input or output, with or
// without the data that was not synced, and restarts a little later.
#pragma once

#include <SQLiteCpp/Database.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/ledger/ledger.hpp"
#include "server/api/response.hpp"
#include "server/engine/clock.hpp"
#include "server/engine/engine.hpp"
#include "tests/faultfs/disk.hpp"
#include "tests/sim/agenda.hpp"
#include "tests/sim/faults.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/witness.hpp"

namespace hone::sim {

class ServerHost {
 public:
  ServerHost(Agenda& agenda, const FaultPlan& faults, Rng& rng, std::uint64_t seed);
  ~ServerHost();
  ServerHost(const ServerHost&) = delete;
  ServerHost& operator=(const ServerHost&) = delete;

  using Answer = std::function<void(const api::Response&)>;
  // Returns false if the server is down: the connection is refused.
  bool push(const Message& message, Answer answer);

  // Sets the clock of the server's machine.
  void step_clock(Duration by) { wall_offset_ = wall_offset_ + by; }

  [[nodiscard]] bool up() const { return engine_ != nullptr; }
  [[nodiscard]] const Book& book() const { return engine_->book(); }
  // With the ended sweeps that left memory.
  const Book& whole_book() { return engine_->whole_book(); }
  [[nodiscard]] SQLite::Database& database() { return *db_; }
  [[nodiscard]] int crashes() const { return crashes_; }
  [[nodiscard]] int snapshots_used() const { return snapshots_used_; }
  [[nodiscard]] std::int64_t reads() const { return reads_; }
  // The first promise that was broken, or empty.
  [[nodiscard]] const std::string& broken() const { return broken_; }

  // The machine's faults end: a full disk has room again.
  void heal();

 private:
  void boot();
  void crash(faultfs::Fault how);
  void step();
  void schedule_step();
  void look_at_news();
  void check_replay();
  void check_waiting(Instant now) const;
  void read_something();
  Restored restored();
  faultfs::Fault draw_fault();
  Instant server_time();

  Agenda& agenda_;
  const FaultPlan& faults_;
  Rng& rng_;
  EndedBounds ended_;
  faultfs::Disk disk_;
  Duration wall_offset_;
  std::optional<SlewedClock> clock_;
  std::unique_ptr<SQLite::Database> db_;
  std::unique_ptr<SQLite::Database> reader_;
  std::optional<Ledger> told_;  // read by the witness
  std::unique_ptr<Engine> engine_;
  std::vector<Envelope> inbox_;
  std::map<std::int64_t, Command> unanswered_;  // by number of arrival, in this life
  std::int64_t arrivals_ = 0;
  std::optional<Instant> step_at_;
  std::string snapshot_;  // outlives crashes, as the file does
  Witness witness_;
  std::string broken_;
  int crashes_ = 0;
  int snapshots_used_ = 0;
  std::int64_t reads_ = 0;
};

// The Book that a replay of the ledger gives.
Book replayed(SQLite::Database& db);

}  // namespace hone::sim
