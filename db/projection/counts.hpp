// The changes of a batch to rows that many of its events touch: the counts of a sweep's runs by
// state, the sums of its groups of runs, and the state of a trial. They are held in memory and
// written once, by flush().
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>

#include "schemas/types/ids.hpp"
#include "schemas/types/states.hpp"

namespace hone {

class BatchCounts {
 public:
  explicit BatchCounts(SQLite::Database& db);  // prepares its statements once
  ~BatchCounts();

  void proposed(SweepId sweep);
  // `resumable`: the run has a checkpoint. Precondition: the row of the run still has the step from
  // before.
  void reported(RunId run, SweepId sweep, bool resumable);
  void added(RunId run, SweepId sweep);  // a queued run
  // Precondition: the row of the run still has the state from before.
  void moved(RunId run, SweepId sweep, RunState to, EndReason reason);

  // Precondition: the rows of the runs are written.
  void flush();
  void forget();  // call after a rollback

 private:
  struct Held;
  std::unique_ptr<Held> held_;
};

}  // namespace hone
