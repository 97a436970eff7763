// Whether the end of a run is evidence about its parameters.
#pragma once

#include "base/expect.hpp"
#include "schemas/types/states.hpp"

namespace hone {

// Whether a failure of this class is evidence about the parameters, rather than about a machine.
constexpr bool informs(Failure failure) {
  switch (failure) {
    case Failure::oom:
    case Failure::infeasible:
    case Failure::diverged:
    case Failure::timed_out:
    case Failure::user_error:
      return true;
    case Failure::none:
    case Failure::infra:
    case Failure::preempted:
    case Failure::crash:
      return false;
  }
  unreachable();
}

// Whether an end is evidence about the parameters, rather than about a machine or a user.
constexpr bool informs(EndReason reason, Failure failure) {
  switch (reason) {
    case EndReason::budget_reached:
    case EndReason::exited_early:
    case EndReason::bar_reached:
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::diverged:
    case EndReason::no_report:
    case EndReason::exit_code:
    case EndReason::told_failed:
    case EndReason::infeasible:
      return true;
    case EndReason::none:
    case EndReason::signal:
    case EndReason::cannot_start:
    case EndReason::requeue_requested:
    case EndReason::worker_lost:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
    case EndReason::failure_limit:
      return false;
    case EndReason::retries_exhausted:
    case EndReason::disk_limit:
    case EndReason::time_limit:  // of the run; of the sweep if there is no failure
      return informs(failure);
  }
  unreachable();
}

// Whether the rule closed the run's trial, so that the run itself did not fail.
constexpr bool closes(EndReason reason) {
  return reason == EndReason::evicted || reason == EndReason::not_promoted;
}

}  // namespace hone
