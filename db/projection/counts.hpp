// What a batch of events changes in rows that all of them would write: how many runs of a sweep are
// in which state, and the state of a trial. Held in memory while the batch is folded and written
// once, by flush().
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>

#include "schemas/types/ids.hpp"
#include "schemas/types/states.hpp"

namespace hone {

class Counts {
 public:
  explicit Counts(SQLite::Database& db);  // prepares its statements once
  ~Counts();

  void proposed(SweepId sweep);
  void reported(SweepId sweep);
  void added(RunId run, SweepId sweep);  // a queued run
  // Precondition: the run's row still has the state from before.
  void moved(RunId run, SweepId sweep, RunState to, EndReason reason);

  // Precondition: the rows of the runs are written.
  void flush();
  void forget();  // the transaction was rolled back

 private:
  struct Held;
  std::unique_ptr<Held> held_;
};

}  // namespace hone
