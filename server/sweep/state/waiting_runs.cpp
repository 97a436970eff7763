// The members of the Book that a waiting run is in: its sweep's queue, the rests, the paused runs.
#include <algorithm>

#include "base/expect.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {

void set_due(Book& book, Run& run, Instant due) {
  run.due = due;
  book.rests.emplace(due, run.id);
}

void clear_due(Book& book, Run& run) {
  if (run.due) book.rests.erase({*run.due, run.id});
  run.due.reset();
}

void stop_waiting(Book& book, Sweep& sweep, Run& run) {
  clear_due(book, run);
  run.avoid.reset();
  run.keep.reset();
  if (sweep.resting.erase(run.id) != 0) return;
  if (run.state == RunState::paused) {
    sweep.paused.erase(run.id);
    return;
  }
  const auto found = std::find(sweep.queue.begin(), sweep.queue.end(), run.id);
  expect(found != sweep.queue.end(), "a queued run is in its sweep's queue");
  sweep.queue.erase(found);
}

}  // namespace hone
