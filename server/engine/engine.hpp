// The only writer of the ledger. It owns no thread, socket or clock, so that the simulator
// drives the same code.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <vector>

#include "db/ledger/ledger.hpp"
#include "server/engine/batch.hpp"
#include "server/engine/ended_sweeps.hpp"
#include "server/engine/envelope.hpp"
#include "server/engine/restored.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/history/import_parts.hpp"

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

  // Replies `unavailable` to every parked Acquire, and to the imports in progress (shutdown).
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
  // A large import: each step writes a part of it, so that others' commands never wait for more.
  struct Importing {
    Envelope envelope;
    ImportParts parts;
    std::optional<KeepRequest> keep;
    std::size_t series = 0, point = 0;  // of its telemetry: the next to be written
  };

  void replay();
  void replay_ledger();
  bool quarantine_next(const std::string& why);
  [[nodiscard]] Status check_served(const Touched& touched) const;
  [[nodiscard]] Status check_there(const Touched& touched) const;
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
  // The digest that is kept with the events of the request, where it is new.
  Result<std::optional<KeepRequest>> keep_of(const Envelope& envelope);
  Result<Events> choose(const Command& command, Instant now, const Caller& by);
  // Returns what `make` returns once the command may be decided. Changes nothing but the ended
  // sweeps that are in memory, so that whatever is thrown refuses the command alone.
  template <class T, class Make>
  Result<T> prepared(const Command& command, Instant now, const Caller& by, const Make& make) {
    try {
      if (auto may = prepare(command, now, by); !may) return may.error();
      return make();
    } catch (const SQLite::Exception&) {
      throw;
    } catch (const std::exception& trouble) {
      return fault(trouble.what());
    }
  }
  Status prepare(const Command& command, Instant now, const Caller& by);
  Status write(const Command& command, Events events, Instant now, const KeepRequest* request);
  [[nodiscard]] std::optional<SweepId> granted_by(const Events& events) const;
  Result<Writes> writes_of(const Command& command, Events events, Instant now);
  Status add_events(Events events, Instant now, Writes& writes) const;
  static void add_series(const Import& import, const SweepImported& imported, Writes& writes);
  static bool is_in_parts(const Command& command);
  void import_part(Instant now, std::vector<Answer>& answers);
  void begin_import(Envelope envelope, Instant now, std::vector<Answer>& answers);
  Result<Writes> next_part(Instant now);
  static void next_series(Importing& importing, Writes& writes);
  Status write_part(Writes writes);
  void drop_unfinished(Instant now);
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
  std::deque<Envelope> imports_;  // in parts, waiting for the one in progress
  std::optional<Importing> importing_;
  std::vector<Parked> parked_;     // in the order of arrival
  std::map<WorkerId, int> polls_;  // the number of its parked Acquires
};

}  // namespace hone
