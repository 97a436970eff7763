// What a sweep would run, before anything is submitted.
#pragma once

#include "schemas/types/spec.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Prints the normalized spec with a `plan` beside it: runs, phases and work at most and as the
// sweep's rule expects them, and the wall time on `workers` slots (0: those of the server's workers
// if it answers, else this machine's cores). Seconds are those of the newest sweep on the server
// that trained the same thing; without one, times are in complete runs.
Result<Exit> print_plan(Session& session, const SweepSpec& spec, int workers);

}  // namespace hone::cli
