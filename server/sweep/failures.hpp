// What is done about each class of failure: one row each. docs/failures.md says it in words.
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
  elsewhere,  // on another worker, if there is one
};

struct FailureRule {
  Failure failure;
  Retry retry;
  int retries_max;     // of this class, beside limits.max_retries, which counts all but preemptions
  bool blames_worker;  // three runs in a row, and the worker is set aside
  bool informs;        // the end says something about the parameters
};

inline constexpr int no_bound = std::numeric_limits<int>::max();

// What fails twice for want of memory, or hangs twice, would do so again. A program that died of a
// signal may have hit a race; one that exited with a status would do the same again.
inline constexpr std::array failure_rules{
    FailureRule{Failure::oom, Retry::elsewhere, 1, false, true},
    FailureRule{Failure::infra, Retry::elsewhere, no_bound, true, false},
    FailureRule{Failure::preempted, Retry::anywhere, no_bound, false, false},
    FailureRule{Failure::infeasible, Retry::no, 0, false, true},
    FailureRule{Failure::diverged, Retry::no, 0, false, true},
    FailureRule{Failure::timed_out, Retry::elsewhere, 1, false, true},
    FailureRule{Failure::user_error, Retry::no, 0, false, true},
    FailureRule{Failure::crash, Retry::anywhere, no_bound, false, false},
};

constexpr const FailureRule& rule_of(Failure failure) {
  for (const FailureRule& rule : failure_rules)
    if (rule.failure == failure) return rule;
  unreachable();
}

// A worker that was lost is not there to be set aside.
constexpr bool blames_worker(Failure failure, EndReason reason) {
  return failure != Failure::none && rule_of(failure).blames_worker &&
         reason != EndReason::worker_lost;
}

// The rest of a run before it is tried again: after the nth failure in a row without a report
// between them, between half and all of 1 s * 2^(n-1), at most 5 min. The first preemption costs
// nothing.
inline constexpr Duration rest_first = seconds(1);
inline constexpr Duration rest_last = seconds(300);
// How long a run that is to avoid a worker is kept for others: longer than their long polls.
inline constexpr Duration reserved = seconds(30);
// A worker of which nothing was heard for this long is not there. Those who wait for work are heard
// of every 5 min.
inline constexpr Duration absent_after = seconds(360);
// Set aside: after this many runs, for so long, doubled each time until it has trained something.
inline constexpr int suspects_max = 3;
inline constexpr Duration aside_first = seconds(600);
inline constexpr Duration aside_last = seconds(7200);

// The class where the worker named none.
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
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::retries_exhausted:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
      return Failure::preempted;  // a worker says these of no process that ended by itself
  }
  unreachable();
}

}  // namespace hone
