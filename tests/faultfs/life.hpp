// A data folder on a faulty disk, the real engine on it, and clients that repeat what was not
// answered. Everything that was acknowledged is kept apart, and looked for after every restart.
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "server/engine/engine.hpp"
#include "tests/faultfs/disk.hpp"

namespace hone::faultfs {

class Life {
 public:
  explicit Life(std::uint64_t seed) : disk(seed), dice_(seed, Purpose::simulation, 78) {}
  ~Life();
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  // What a client does: sends until there is an answer, whatever happens to the server.
  Result<Reply> perform(const Command& command, Instant now);

  // Ends the process between two commands, as the fault says, and starts it again.
  void interrupt(Fault fault);

  // Empty, or the first promise that is broken. At the end of a history.
  std::string check_all();

  // The first promise that was broken on the way: empty when none was.
  [[nodiscard]] const std::string& broken() const { return broken_; }
  [[nodiscard]] int restarts() const { return restarts_; }
  [[nodiscard]] std::int64_t acknowledged() const {
    return static_cast<std::int64_t>(acknowledged_.size());
  }

  Disk disk;

 private:
  bool boot(Instant now);
  bool attempt(const Command& command, Instant now, std::optional<Result<Reply>>& answered);
  void die();
  void note_committed();
  void check_recovered();
  std::vector<std::string> rows_after(std::int64_t seq);

  Rng dice_;
  std::unique_ptr<SQLite::Database> db_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::string> acknowledged_;  // rows of the ledger that were answered for, by seq - 1
  std::set<std::int64_t> in_flight_;       // where a batch that was not answered for may have ended
  std::string broken_;
  int restarts_ = 0;
};

// The rows of every query table as one text.
std::string projection_text(SQLite::Database& db);
// The digest of the Book that the ledger alone tells.
std::uint64_t replay_digest(SQLite::Database& db);

}  // namespace hone::faultfs
