#include "db/event_facts.hpp"

#include "schemas/types/expect.hpp"

namespace hone {

SweepState state_after(Verb verb) {
  switch (verb) {
    case Verb::pause:
      return SweepState::paused;
    case Verb::resume:
      return SweepState::running;
    case Verb::stop:
    case Verb::cancel:
    case Verb::kill:
      return SweepState::stopping;
  }
  unreachable();
}

std::optional<int> deciding_exit_code(const RunEnded& e) {
  switch (e.reason) {
    case EndReason::exited_early:
    case EndReason::no_report:
    case EndReason::exit_code:
    case EndReason::signal:
    case EndReason::infeasible:
      return e.exit_code;
    case EndReason::none:
    case EndReason::budget_reached:
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::diverged:
    case EndReason::told_failed:
    case EndReason::cannot_start:
    case EndReason::requeue_requested:
    case EndReason::worker_lost:
    case EndReason::retries_exhausted:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
    case EndReason::time_limit:
      return std::nullopt;
  }
  unreachable();
}

}  // namespace hone
