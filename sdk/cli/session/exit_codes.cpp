#include "sdk/cli/session/exit_codes.hpp"

#include "base/expect.hpp"

namespace hone::cli {

Exit exit_for(Code code) {
  switch (code) {
    case Code::invalid:
    case Code::too_large:
      return Exit::usage;
    case Code::not_found:
      return Exit::not_found;
    case Code::conflict:
    case Code::stale_lease:
    case Code::stale_epoch:
      return Exit::conflict;
    case Code::forbidden:
    case Code::unauthenticated:
      return Exit::forbidden;
    case Code::busy:
    case Code::unavailable:
    case Code::rate_limited:
      return Exit::unreachable;
    case Code::timed_out:
      return Exit::timed_out;
    case Code::internal:
      return Exit::general;
  }
  unreachable();
}

Exit exit_for(SweepState state) {
  switch (state) {
    case SweepState::running:
    case SweepState::paused:
    case SweepState::stopping:
    case SweepState::completed:
      return Exit::ok;
    case SweepState::failed:
    case SweepState::quarantined:
      return Exit::sweep_failed;
    case SweepState::canceled:
      return Exit::sweep_canceled;
  }
  unreachable();
}

}  // namespace hone::cli
