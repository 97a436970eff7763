// Keeps few ended sweeps in the Book: the others are rows of the database, and are loaded again
// when a command or an event needs them. A sweep that is loaded equals the one that left.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <vector>

#include "db/ledger/ended_rows.hpp"
#include "db/ledger/ledger.hpp"
#include "server/engine/envelope.hpp"
#include "server/sweep/state/touched.hpp"

namespace hone {

class EndedSweeps {
 public:
  // Borrows all. `book` must not have lost sweeps that the database does not hold, but those of
  // `left_out`.
  EndedSweeps(SQLite::Database& db, Book& book, EndedBounds bounds,
              const Quarantine& left_out = none_left_out);

  // Call before the replay that begins after `seq`. Without a snapshot (0) every row is deleted,
  // since the replay makes them again.
  void begin(std::int64_t seq);

  // Puts these sweeps back into the Book, as of event `seq`, but ids that no sweep of the ledger
  // has: a sweep may have been removed from it. Throws std::runtime_error if the row of another one
  // is missing or damaged; the next boot then makes all rows again.
  void load(const Touched& touched, std::int64_t seq);
  void load_all(std::int64_t seq);
  // The same for the sweep that an imported confirmation means, with its confirmations of the same
  // seed.
  void load(const SweepPast& past, std::int64_t seq);
  // The same for the sweep that `confirmation` confirms, if it is one.
  void load_confirmed(SweepId confirmation, std::int64_t seq);

  // The sweep of a trial that is not in the Book.
  [[nodiscard]] std::optional<SweepId> sweep_of(TrialId trial) const;

  // Whether the ledger has the object, which may be of a sweep outside the Book. Ids may have gaps.
  [[nodiscard]] bool knows(ModelId model) const { return rows_.knows(model); }
  [[nodiscard]] bool knows(EvaluationId evaluation) const { return rows_.knows(evaluation); }

  // Call after an event is folded.
  void folded(const EventBody& event);

  // Call between two transactions: stores the sweeps that leave, as of event `seq`, in one of its
  // own and removes them from the Book. Does nothing within the bounds.
  void leave(std::int64_t seq);

 private:
  inline static const Quarantine none_left_out{};

  void load(SweepId id, std::int64_t seq);
  void use(SweepId id);
  std::vector<SweepId> choose();
  void store(SweepId id, std::int64_t seq);
  [[noreturn]] void give_up(SweepId id, const std::string& why);

  SQLite::Database& db_;
  Book& book_;
  EndedBounds bounds_;
  const Quarantine& left_out_;
  mutable EndedRows rows_;     // prepares its statements at their first use
  std::vector<SweepId> kept_;  // ended sweeps in the Book, the least recently used first
  bool grown_ = true;          // since the last call of leave
};

// Puts every ended sweep of the database back into a Book of event `seq`. Throws as load.
void load_ended(SQLite::Database& db, Book& book, std::int64_t seq);

// Whether the database holds every sweep of the ledger up to `seq` that the Book lacks. Ids may
// have gaps.
bool holds_ended(SQLite::Database& db, const Book& book, std::int64_t seq, std::string_view stamp);

}  // namespace hone
