// How each class of failure is handled: one row for each. docs/failures.md describes them.
#pragma once

#include <array>
#include <limits>

#include "base/expect.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/wire.hpp"

namespace hone {

enum class Retry {
  no,
  anywhere,
  elsewhere,  // on another worker, if one is present
};

struct FailureRule {
  Failure failure;
  Retry retry;
  int retries_max;     // of this class; limits.max_retries counts all classes but preemptions
  bool blames_worker;  // after three such runs in a row, the worker is quarantined
};

inline constexpr int no_bound = std::numeric_limits<int>::max();

// A run that runs out of memory twice, or hangs twice, would do so again. A program that died of a
// signal may have hit a race; one that exited with a status would do so again.
inline constexpr std::array failure_rules{
    FailureRule{Failure::oom, Retry::elsewhere, 1, false},
    FailureRule{Failure::infra, Retry::elsewhere, no_bound, true},
    FailureRule{Failure::preempted, Retry::anywhere, no_bound, false},
    FailureRule{Failure::infeasible, Retry::no, 0, false},
    FailureRule{Failure::diverged, Retry::no, 0, false},
    FailureRule{Failure::timed_out, Retry::elsewhere, 1, false},
    FailureRule{Failure::user_error, Retry::no, 0, false},
    FailureRule{Failure::crash, Retry::anywhere, no_bound, false},
};

constexpr const FailureRule& rule_of(Failure failure) {
  for (const FailureRule& rule : failure_rules)
    if (rule.failure == failure) return rule;
  unreachable();
}

// A lost worker is not present, so it is not quarantined.
constexpr bool blames_worker(Failure failure, EndReason reason) {
  return failure != Failure::none && rule_of(failure).blames_worker &&
         reason != EndReason::worker_lost;
}

// How long a run rests before it is tried again: after the nth failure in a row without a report
// between them, between half and all of 1 s * 2^(n-1), at most 5 min. After its first preemption it
// does not rest.
inline constexpr Duration rest_first = seconds(1);
inline constexpr Duration rest_last = seconds(300);
// How long a run that is to avoid a worker is reserved for others: longer than their long polls.
inline constexpr Duration reserved = seconds(30);
// A worker that was not seen for this long is absent. A waiting worker is recorded every 5 min.
inline constexpr Duration absent_after = seconds(360);
// Quarantine: after this many runs, for this long, doubled each time until a run of the worker
// reports.
inline constexpr int suspects_max = 3;
inline constexpr Duration aside_first = seconds(600);
inline constexpr Duration aside_last = seconds(7200);
// A run is tried alone after so many lost workers in a row: one machine a day may fail by itself.
inline constexpr int lost_workers_max = 2;

// The class of a failure for which the worker names none.
constexpr Failure failure_of(EndReason reason) {
  switch (reason) {
    case EndReason::signal:
      return Failure::crash;
    case EndReason::worker_lost:
      return Failure::infra;
    case EndReason::requeue_requested:
      return Failure::preempted;
    case EndReason::infeasible:
      return Failure::infeasible;
    case EndReason::diverged:
      return Failure::diverged;
    case EndReason::time_limit:
      return Failure::timed_out;
    case EndReason::no_report:
    case EndReason::exit_code:
    case EndReason::told_failed:
    case EndReason::cannot_start:
    case EndReason::disk_limit:
      return Failure::user_error;
    case EndReason::none:
    case EndReason::budget_reached:
    case EndReason::exited_early:
    case EndReason::bar_reached:
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::retries_exhausted:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
    case EndReason::failure_limit:
      return Failure::preempted;  // no worker sends these for a process that ended by itself
  }
  unreachable();
}

}  // namespace hone
