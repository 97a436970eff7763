// Runs whose workers were lost. Any run on a worker may have taken it down, so no run pays for it
// until it was on two in a row. Then it is tried alone, where what happens is its own doing.
#include <algorithm>

#include "server/sweep/state/failures.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

bool is_suspect(const Run& run) { return run.workers_lost >= lost_workers_max; }

// Of the workers that could hold the run if they were empty, the one with the fewest runs, the
// oldest of those.
WorkerId nearest_to_empty(const Book& book, const ResourcesSpec& needs, Instant now) {
  const WorkerState* nearest = nullptr;
  for (const auto& [id, worker] : book.workers) {
    const bool fewer = nearest == nullptr || worker.runs.size() < nearest->runs.size();
    if (fewer && is_present(worker, now) && fits(needs, whole(worker))) nearest = &worker;
  }
  return nearest == nullptr ? WorkerId{} : nearest->id;
}

}  // namespace

EndRequest end_of_silence(const Lease& lease) {
  return {EndReason::worker_lost, 0, text(lease.worker) + " sent no heartbeat in time", {}};
}

bool lost_worker(const EndRequest& end) {
  return end.reason == EndReason::worker_lost || end.worker_killed;
}

// A worker that was started again has a machine that works: without company, too, its first losses
// are no evidence.
EndRequest with_lost_worker(const Run& run, const Lease& lease, EndRequest end) {
  if (!lost_worker(end)) return end;
  const bool counts = is_suspect(run) || (!lease.shared && !end.worker_killed);
  end.failure = counts ? Failure::infra : Failure::preempted;
  if (is_suspect(run))
    end.detail += "; the run was tried alone on it";
  else if (run.workers_lost + 1 == lost_workers_max)
    end.detail += "; it is the second one in a row with this run on it, which is tried alone now";
  return end;
}

bool waits_to_be_alone(const Book& book, const Run& run, WorkerId worker) {
  if (!is_suspect(run) || !worker) return false;
  const auto found = book.workers.find(worker);  // a replay of the sweep alone may not have it yet
  return found != book.workers.end() && !found->second.runs.empty();
}

bool tries_alone(const Book& book, const WorkerState& worker) {
  return std::ranges::any_of(worker.runs, [&](const RunOnWorker& one) {
    return is_suspect(*find_run(book, book.leases.at(one.lease).attempt.run));
  });
}

bool empties_for(const Book& book, const Sweep& sweep, const WorkerState& worker, Instant now) {
  return std::ranges::any_of(sweep.queue, [&](RunId id) {
    const Run& run = *find_run(book, id);
    return waits_to_be_alone(book, run, worker.id) && run.avoid != worker.id &&
           nearest_to_empty(book, needs_of(sweep.spec, run), now) == worker.id;
  });
}

void note_company(Book& book, const WorkerState& worker) {
  if (worker.runs.size() < 2) return;
  for (const RunOnWorker& one : worker.runs) book.leases.at(one.lease).shared = true;
}

void note_lost_worker(Run& run, const RunReturned& e, const Lease& lease, Instant at) {
  if (e.workers_lost == 0) return;
  run.workers_lost = e.workers_lost;
  run.lost_after = std::max(run.lost_after, at - lease.granted_at);
}

void clear_if_outlived(Run& run, const Lease& lease, Instant at) {
  if (is_suspect(run) && at - lease.granted_at > run.lost_after) run.workers_lost = 0;
}

}  // namespace hone
