// The one writer. Engine::step is the whole of it and has no thread, socket or clock: the simulator
// drives the same code.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "db/ledger/ledger.hpp"
#include "schemas/types/instant.hpp"
#include "server/engine/meter.hpp"
#include "server/engine/restored.hpp"
#include "server/limits.hpp"
#include "server/sweep/command.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/caller.hpp"

namespace hone {

// A command and where its reply goes. `reply` is called exactly once, on the engine's thread, after
// the commit (or, for a parked Acquire, when there is work or its wait is over); it must be quick
// and must not throw.
struct Envelope {
  Command command;
  std::function<void(Result<Reply>)> reply;
  Caller by{};
};

struct EngineOptions {
  Duration lease = limits::lease_length;  // without a heartbeat
  Meter* meter = nullptr;                 // told of the work, where somebody measures
};

class Engine {
 public:
  // Replays the ledger, or what came after `restored`, and commits ServerStarted. Throws when the
  // ledger cannot be replayed: the process cannot start.
  Engine(SQLite::Database& db, Instant now, EngineOptions options = {}, Restored restored = {});

  // Decides each command in order, appends its events, commits the batch once, then replies. now is
  // clamped so that time never goes backwards. Throws SQLite::Exception when the commit fails; the
  // engine must then be discarded: memory is ahead of the disk, and a new Engine on the same file
  // replays the truth. No reply of a failed batch was sent.
  void step(std::vector<Envelope> batch, Instant now);

  // When step must be called next even without commands: a lease expiry, a time limit, a parked
  // Acquire's end.
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  // Replies `unavailable` to every parked Acquire (shutdown).
  void release_parked();

  [[nodiscard]] const Book& book() const { return book_; }
  [[nodiscard]] std::int64_t last_seq() const { return seq_; }

 private:
  struct Parked {
    Envelope envelope;
    Instant until;
  };
  struct Answer {
    Envelope envelope;
    Result<Reply> reply;
  };

  void replay();
  void work(std::vector<Envelope> batch, Instant now, std::vector<Answer>& answers);
  void handle(Envelope envelope, Instant now, std::vector<Answer>& answers);
  void meet_deadlines(Instant now);
  void retry_parked(Instant now, std::vector<Answer>& answers);
  void release_late(Instant now, std::vector<Answer>& answers);
  Result<Reply> perform(const Command& command, Instant now, const Caller& by = {});
  void store_series(const Import& import, const SweepImported& imported);
  void fold(const Events& events, Instant now);
  void enter(Part part) {
    if (options_.meter != nullptr) options_.meter->enter(part);
  }
  void open_transaction();
  void close_transaction();

  EngineOptions options_;
  Ledger ledger_;
  Book book_;
  std::int64_t seq_ = 0;
  bool writing_ = false;        // a transaction is open: something was appended in this batch
  std::vector<Parked> parked_;  // in the order of arrival
};

}  // namespace hone
