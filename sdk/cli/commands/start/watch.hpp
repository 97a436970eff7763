// Follows a sweep, for `watch` and `submit --watch`.
#pragma once

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// What the lines of progress are: the data of `watch`, or messages, which --quiet leaves out.
enum class Lines { data, messages };

// Redraws in place on a terminal, else prints a line every `line_every` and when the state changes.
// Returns when the sweep has ended (ok, sweep_failed or sweep_canceled), or `interrupted` after
// Ctrl-C, which does not affect the sweep. Waits for an unreachable server: sweeps survive
// restarts.
Result<Exit> watch(Session& session, SweepId sweep, Duration line_every, Lines lines);

}  // namespace hone::cli
