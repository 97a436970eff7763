// The only writer of the ledger. It owns no thread, socket or clock, so that the simulator
// drives the same code.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "db/ledger/ledger.hpp"
#include "server/engine/batch.hpp"
#include "server/engine/ended_sweeps.hpp"
#include "server/engine/envelope.hpp"
#include "server/engine/restored.hpp"
#include "server/sweep/decide.hpp"

namespace hone {

class Engine {
 public:
  // Replays the ledger after `restored` and commits ServerStarted. A sweep of which an event cannot
  // be read is quarantined: its events are kept, and it is not in the Book. Throws when an event of
  // no sweep cannot be read: the process cannot start.
  Engine(SQLite::Database& db, Instant now, EngineOptions options = {}, Restored restored = {});

  // Decides each command in order, appends its events, commits the batch once, then replies. An
  // earlier `now` than before is treated as the time before. Then lets ended sweeps leave memory.
  // A command whose events a start could not read, or that the tables do not accept, is refused
  // (internal) alone: nothing of it is recorded. Throws SQLite::Exception when a commit fails; if
  // it was that of the batch, without a reply. The engine must then be discarded, since memory is
  // ahead of the disk; a new Engine on the same file replays the ledger.
  void step(std::vector<Envelope> batch, Instant now);

  // When step must be called next even without commands: a lease expires, a time limit is reached,
  // a parked Acquire has waited long enough.
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  // Replies `unavailable` to every parked Acquire (shutdown).
  void release_parked();

  // Lacks ended sweeps that left memory.
  [[nodiscard]] const Book& book() const { return book_; }
  // Loads them; the next step lets them leave again.
  const Book& whole_book();
  [[nodiscard]] std::int64_t last_seq() const { return seq_; }
  // The sweeps whose events could not be read; empty in a sound ledger.
  [[nodiscard]] const Quarantine& quarantine() const { return quarantine_; }
  // Of the events that were replayed and appended.
  [[nodiscard]] std::int64_t event_bytes() const { return ledger_.event_bytes(); }

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
  void replay_ledger();
  bool quarantine_next(const std::string& why);
  [[nodiscard]] Status check_served(const Touched& touched) const;
  void work(std::vector<Envelope> batch, Instant now, std::vector<Answer>& answers);
  void handle(Envelope envelope, Instant now, std::vector<Answer>& answers);
  void meet_deadlines(Instant now);
  void retry_parked(Instant now, std::vector<Answer>& answers);
  void release_late(Instant now, std::vector<Answer>& answers);
  void release_replaced(const AcquireRequest& by, std::vector<Answer>& answers);
  void answer_unserved(std::vector<Parked>::iterator from, std::vector<Answer>& answers);
  void unpark(Parked& parked, Result<Reply> reply, std::vector<Answer>& answers);
  Result<Reply> perform_once(const Envelope& envelope, Instant now);
  Result<Reply> perform(const Command& command, Instant now, const Caller& by = {},
                        const KeepRequest* request = nullptr);
  Result<Events> choose(const Command& command, Instant now, const Caller& by);
  Status write(const Command& command, Events events, Instant now, const KeepRequest* request);
  [[nodiscard]] std::optional<SweepId> granted_by(const Events& events) const;
  Result<Writes> writes_of(const Command& command, Events events, Instant now);
  void fold(const Writes& writes);
  Error fault(const std::string& why);
  void enter(Part part) {
    if (options_.meter != nullptr) options_.meter->enter(part);
  }
  SQLite::Database& db_;
  EngineOptions options_;
  Ledger ledger_;
  Batch batch_{ledger_};
  Book book_;
  Quarantine quarantine_;
  EndedSweeps ended_;
  std::int64_t seq_ = 0;
  std::vector<Parked> parked_;     // in the order of arrival
  std::map<WorkerId, int> polls_;  // the number of its parked Acquires
};

}  // namespace hone
