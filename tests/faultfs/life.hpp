// A data folder on a faulty disk, the real engine on it, and clients that repeat commands without a
// reply. Keeps a copy of everything that was acknowledged and compares it after every restart.
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
  explicit Life(std::uint64_t seed) : disk(seed), rng_(seed, Purpose::simulation, 78) {}
  ~Life();
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  // As a client: sends until there is a reply, whatever happens to the server.
  Result<Reply> perform(const Command& command, Instant now);

  // Ends the process between two commands by `fault` and starts it again.
  void interrupt(Fault fault);

  // Returns the first promise that is broken at the end of a history, or an empty string.
  std::string check_all();

  // The first promise that was broken on the way, or empty.
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

  Rng rng_;
  std::unique_ptr<SQLite::Database> db_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::string> acknowledged_;  // rows of the ledger, by seq - 1
  std::set<std::int64_t> in_flight_;       // possible last seq of a batch without a reply
  std::string broken_;
  int restarts_ = 0;
};

// The rows of every query table as one text.
std::string projection_text(SQLite::Database& db);
// The Book that a replay of the ledger gives, as bytes.
std::string replayed_book(SQLite::Database& db);

}  // namespace hone::faultfs
