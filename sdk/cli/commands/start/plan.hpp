// The plan of a sweep that is not submitted.
#pragma once

#include "schemas/codec/json.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::cli {

// Prints the normalized spec with a member `plan`: the most runs, phases and work, those that the
// sweep's rule expects, and the wall time on `workers` slots (0: those of the server's workers if
// it answers, else the cores of this machine). Seconds come from the newest sweep on the server
// with the same training; without one, times are in complete runs.
Result<Exit> print_plan(Session& session, const SweepSpec& spec, int workers);

// Returns how long so many complete runs of a sweep take on the server's workers, as
// "about 12 min"; "" if no run of it shows its pace.
std::string time_of_runs(Session& session, const Json& sweep, std::int64_t runs);

}  // namespace hone::cli
