// Following a sweep: the work of `watch` and of `submit --watch`.
#pragma once

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Redraws in place on a terminal, else writes a line now and then (every `line_every`, and when the
// state changes). Returns once the sweep has ended: ok, sweep_failed or sweep_canceled; interrupted
// after Ctrl-C, which leaves the sweep alone. An unreachable server is waited for: sweeps outlive
// it.
Result<Exit> watch(Session& session, SweepId sweep, Duration line_every);

}  // namespace hone::cli
