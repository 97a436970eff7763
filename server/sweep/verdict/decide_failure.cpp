// The rules of failed attempts (the run rests and returns to the queue, or ends), and of workers on
// which many attempts fail.
#include <algorithm>
#include <string>

#include "base/rng.hpp"
#include "server/sweep/state/failures.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

// Bounds the attempts of a run that always asks to be requeued; real preemptions are far fewer.
constexpr int attempts_max = 1000;

Duration doubled(Duration first, int times, Duration last) {
  return {std::min(first.us << std::min(times, 20), last.us)};
}

// The end of the rest, drawn at random so that the runs of a lost machine do not return at once.
std::optional<Instant> end_of_rest(const Sweep& sweep, const Run& run, Failure failure,
                                   Instant now) {
  const int times = run.setbacks - (failure == Failure::preempted ? 1 : 0);
  if (times < 0) return std::nullopt;
  const std::int64_t half = doubled(rest_first, times, rest_last).us / 2;
  Rng rng(
      sweep.spec.seed, Purpose::rest,
      (static_cast<std::uint64_t>(run.record) << 20U) + static_cast<std::uint64_t>(run.attempts));
  return now + Duration{half +
                        static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(half) + 1))};
}

// The retries that the run's step names.
std::optional<int> own_retries(const Sweep& sweep, const Run& run) {
  const StepSpec* step = step_of(sweep.spec, run.step);
  return step == nullptr ? std::nullopt : step->retries;
}

// Whether another attempt may end better. A user who names retries of a step expects one also after
// an exit with a status.
bool may_retry(const Sweep& sweep, const Run& run, Failure failure) {
  if (failure == Failure::user_error && own_retries(sweep, run)) return true;
  return rule_of(failure).retry != Retry::no;
}

// Why a run gets no further attempt; empty if it gets one.
std::string why_no_retry(const Sweep& sweep, const Run& run, const EndRequest& end, Failure failure,
                         Duration trained) {
  const FailureRule& rule = rule_of(failure);
  const bool requeued = end.reason == EndReason::requeue_requested && !end.worker_killed;
  const bool free = requeued || failure == Failure::preempted;
  if (free && run.attempts >= attempts_max) return std::to_string(attempts_max) + " attempts";
  const auto own = own_retries(sweep, run);
  if (!free && own && run.losses >= *own) return "its step's retries";
  if (!free && run.losses >= sweep.spec.limits.max_retries && !own) return "limits.max_retries";
  if (const auto found = run.failures.find(failure);
      !own && found != run.failures.end() && found->second >= rule.retries_max)
    return "it happened " + std::to_string(found->second + 1) + " times";
  if (sweep.spec.limits.run && trained >= *sweep.spec.limits.run) return "limits.run";
  return {};
}

// The number of runs that failed only on this worker, `run` included.
int suspects(const Book& book, const WorkerState& worker, const Run& run) {
  const auto only_here = [&](const Run& one) {
    return std::all_of(one.blamed.begin(), one.blamed.end(),
                       [&](WorkerId id) { return id == worker.id; });
  };
  int count = only_here(run) ? 1 : 0;
  for (const RunId id : worker.suspects)
    if (id != run.id && only_here(*find_run(book, id))) ++count;
  return count;
}

// Quarantines a worker, but never the last one that is present: no run would continue.
void quarantine(const Book& book, const Lease& lease, const EndRequest& end, Instant now,
                Events& events) {
  const WorkerState& worker = book.workers.at(lease.worker);
  if (worker.aside_until || !others_there(book, worker.id, now)) return;
  const int count = suspects(book, worker, *find_run(book, lease.attempt.run));
  if (count < suspects_max) return;
  events.emplace_back(
      WorkerSetAside{worker.id, now + doubled(aside_first, worker.times_aside, aside_last),
                     std::to_string(count) +
                         " runs in a row failed here and not elsewhere; the last: " + end.detail});
}

// The end of a run whose time is over: its reports count.
RunEnded end_of_time(const Run& run, const EndRequest& end) {
  return {.run = run.id,
          .state = run.reports.empty() ? RunState::failed : RunState::stopped,
          .reason = EndReason::time_limit,
          .detail = end.detail,
          .log_tail = end.log_tail,
          .failure = Failure::timed_out};
}

bool shared_gpus(const Sweep& sweep, const Lease& lease) {
  return !lease.devices.empty() && needs_of(sweep.spec, lease).gpu_memory > 0;
}

// The runs of its GPU may have taken what was declared as this one's: its parameters are not to
// blame before it was alone on a GPU.
RunReturned alone_from_now(const Sweep& sweep, const Run& run, const Lease& lease,
                           const EndRequest& end, Instant now) {
  return {.lease = lease.id,
          .run = run.id,
          .reason = end.reason,
          .detail = end.detail + "; other runs may share its GPU: it is tried again alone on one",
          .failure = Failure::oom,
          .not_before = end_of_rest(sweep, run, Failure::oom, now),
          .alone = true};
}

}  // namespace

bool is_present(const WorkerState& worker, Instant now) {
  return worker.cpus > 0 && !worker.aside_until && now - worker.seen_at < absent_after;
}

bool others_there(const Book& book, WorkerId but, Instant now) {
  return std::any_of(book.workers.begin(), book.workers.end(), [&](const auto& one) {
    return one.first != but && is_present(one.second, now);
  });
}

EndReason reason_of(Order order, const Sweep& sweep) {
  if (sweep.reason != EndReason::none) return sweep.reason;
  return order == Order::kill ? EndReason::user_kill : EndReason::user_cancel;
}

void fail_attempt(const Book& book, const Lease& lease, const EndRequest& given, Instant now,
                  Events& events) {
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  const Run& run = *find_run(book, lease.attempt.run);
  const EndRequest end = with_lost_worker(run, lease, given);
  if (sweep.order != Order::none) {
    return end_run(book, sweep,
                   {.run = run.id,
                    .state = RunState::canceled,
                    .reason = reason_of(sweep.order, sweep),
                    .detail = end.detail},
                   events);
  }
  const Failure failure = end.failure == Failure::none ? failure_of(end.reason) : end.failure;
  if (blames_worker(failure, end.reason) && !lost_worker(end))
    quarantine(book, lease, end, now, events);
  RunEnded failed{.run = run.id,
                  .state = RunState::failed,
                  .reason = end.reason,
                  .exit_code = end.exit_code,
                  .detail = end.detail,
                  .log_tail = end.log_tail,
                  .failure = failure};
  if (failure == Failure::oom && end.gpu_full && shared_gpus(sweep, lease)) {
    events.emplace_back(alone_from_now(sweep, run, lease, end, now));
    return;
  }
  if (!may_retry(sweep, run, failure)) return end_run(book, sweep, failed, events);
  const Duration trained = run.trained + (now - lease.granted_at);
  const auto why = why_no_retry(sweep, run, end, failure, trained);
  if (!why.empty() && failure == Failure::timed_out)
    return end_run(book, sweep, end_of_time(run, end), events);
  failed.reason = EndReason::retries_exhausted;
  if (!why.empty()) return end_run(book, sweep, failed, events);
  std::optional<WorkerId> avoid;
  if (rule_of(failure).retry == Retry::elsewhere) avoid = lease.worker;
  RunReturned returned{lease.id,   run.id,  end.reason,
                       end.detail, failure, end_of_rest(sweep, run, failure, now),
                       avoid};
  if (lost_worker(end)) returned.workers_lost = run.workers_lost + 1;
  events.emplace_back(std::move(returned));
}

Events run_ready(const Book& book, const Run& run, Instant now) {
  const bool rested = find_sweep(book, sweep_of(book, run.id).id)->resting.contains(run.id);
  if (rested && run.avoid && others_there(book, *run.avoid, now))
    return {RunReady{run.id, now + reserved}};
  return {RunReady{run.id, std::nullopt}};
}

Result<Events> decide_allow(const Book& book, const Allow& command) {
  const auto found = book.workers.find(command.worker);
  if (found == book.workers.end())
    return refuse(Code::not_found, "no worker " + text(command.worker));
  if (!found->second.aside_until) return Events{};
  return Events{WorkerAllowed{command.worker, true}};
}

TimeLimits time_limits_of(const Sweep& sweep, const Run& run) {
  TimeLimits limits{sweep.spec.limits.run, sweep.spec.limits.phase};
  if (limits.run) limits.run = std::max(*limits.run - run.trained, milliseconds(1));
  return limits;
}

void blame(WorkerState& worker, Run& run, Instant at) {
  if (!std::ranges::count(run.blamed, worker.id)) run.blamed.push_back(worker.id);
  if (!std::ranges::count(worker.suspects, run.id)) worker.suspects.push_back(run.id);
  worker.suspect_at = at;
}

void clear_suspects(Book& book, const Lease& lease, Instant at) {
  WorkerState& worker = book.workers.at(lease.worker);
  worker.seen_at = at;
  if (lease.granted_at < worker.suspect_at) return;
  worker.suspects.clear();
  worker.times_aside = 0;
}

void set_aside(Book& book, const WorkerSetAside& e) {
  WorkerState& worker = book.workers.at(e.worker);
  worker.aside_until = e.until;
  worker.suspects.clear();
  ++worker.times_aside;
  book.asides.emplace(e.until, e.worker);
}

void allow(Book& book, const WorkerAllowed& e) {
  WorkerState& worker = book.workers.at(e.worker);
  book.asides.erase({*worker.aside_until, e.worker});
  worker.aside_until.reset();
  if (e.by_user) worker.times_aside = 0;
}

}  // namespace hone
