// The rules of leases: who gets a run, for how long, and what happens when nobody renews.
#include <algorithm>

#include "server/sweep/rules.hpp"

namespace hone {

Error stale(LeaseId lease) {
  return refuse(Code::stale_lease,
                "lease " + text(lease) + " is over: stop this process, its run belongs to others");
}

namespace {

bool has_run_to_lease(const Sweep& sweep) {
  if (sweep.order != Order::none || sweep.state == SweepState::paused || is_end(sweep.state))
    return false;
  return !sweep.queue.empty() || (sweep.state == SweepState::running && proposals_left(sweep));
}

bool fits(const ResourcesSpec& needs, const AcquireRequest& offer) {
  return needs.cpus <= offer.cpus && needs.gpus <= offer.gpus;
}

// Fair share: the sweep with the fewest live leases, the oldest of those.
const Sweep* pick_sweep(const Book& book, const AcquireRequest& offer) {
  const Sweep* best = nullptr;
  for (const SweepId id : book.open_sweeps) {
    const Sweep& sweep = book.sweeps.at(id);
    if (!has_run_to_lease(sweep) || !fits(sweep.spec.resources, offer)) continue;
    if (best == nullptr || sweep.live_leases < best->live_leases) best = &sweep;
  }
  return best;
}

TrialProposed propose(const Book& book, const Sweep& sweep) {
  const auto number = static_cast<std::int64_t>(sweep.trials.size());
  Rng rng(sweep.spec.seed, Purpose::propose, static_cast<std::uint64_t>(number));
  return {TrialId{book.last_trial + 1}, sweep.id, number,
          sweep.sampler->propose(sweep.spec.parameters, sweep.history, rng)};
}

}  // namespace

bool has_work(const Book& book) {
  return std::any_of(book.open_sweeps.begin(), book.open_sweeps.end(),
                     [&](SweepId id) { return has_run_to_lease(book.sweeps.at(id)); });
}

Result<Events> decide_acquire(const Book& book, const Acquire& command, Instant now) {
  const AcquireRequest& request = command.request;
  if (!book.workers.contains(request.worker))
    return refuse(Code::not_found, "no worker " + text(request.worker) + ": join first", "/worker");
  if (book.leases_by_request.contains(request.request_id)) return Events{};
  const Sweep* sweep = pick_sweep(book, request);
  if (sweep == nullptr) return Events{};

  Events events;
  RunId run;
  int attempts = 0;
  std::optional<ModelId> resume;
  if (!sweep->queue.empty()) {
    run = sweep->queue.front();
    const Run& waiting = *find_run(book, run);
    attempts = waiting.attempts;
    if (waiting.checkpoint) resume = waiting.checkpoint->id;
  } else {
    const TrialProposed proposed = propose(book, *sweep);
    run = RunId{proposed.trial, 0};
    events.emplace_back(proposed);
  }
  const LeaseId lease{static_cast<std::int64_t>(book.run_of_lease.size()) + 1};
  events.emplace_back(LeaseGranted{lease, AttemptId{run, attempts + 1}, request.worker,
                                   request.request_id, resume, now + book.lease_length});
  return events;
}

Result<Events> decide_beat(const Book& book, const Beat& command, Instant now) {
  if (!book.workers.contains(command.worker))
    return refuse(Code::not_found, "no worker " + text(command.worker) + ": join first");
  Events events;
  const Instant expires_at = now + book.lease_length;
  for (const LeaseId id : command.request.leases) {
    const Lease* lease = find_live_lease(book, id);
    if (lease == nullptr || lease->worker != command.worker) continue;  // answered with `gone`
    if (find_run(book, lease->attempt.run)->state == RunState::leased)
      events.emplace_back(RunStarted{id});
    // Renewals are written only when they matter, so that the ledger does not grow with every
    // heartbeat.
    if (expires_at - lease->expires_at > Duration{book.lease_length.us / 2})
      events.emplace_back(LeaseRenewed{id, expires_at});
  }
  return events;
}

// One cause at a time: the engine asks again while a deadline has passed.
Result<Events> decide_tick(const Book& book, Instant now) {
  Events events;
  if (!book.lease_deadlines.empty() && book.lease_deadlines.begin()->first <= now) {
    const Lease& lease = book.leases.at(book.lease_deadlines.begin()->second);
    const Run& run = *find_run(book, lease.attempt.run);
    lose_run(book.sweeps.at(lease.sweep), run, EndReason::worker_lost,
             text(lease.worker) + " sent no heartbeat in time", events);
    return events;
  }
  for (const SweepId id : book.open_sweeps) {
    const Sweep& sweep = book.sweeps.at(id);
    const auto limit = time_limit(sweep);
    if (limit && *limit <= now)
      return steer_sweep(book, sweep, Verb::cancel, EndReason::time_limit);
  }
  return events;
}

}  // namespace hone
