// The command of a run, as its worker executed it.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"
#include "schemas/types/ids.hpp"
#include "sdk/cli/render/screen.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Adds `command`, the arguments of the program with the values of the run, and `prepare`, those of
// the command before it, where there is one, and `env`, the variables that the sweep file sets or a
// parameter becomes. Adds `seed_passed` where the command gets a part of the seed. Paths that only
// the worker knew stay ${hone.folder} and the like. `command` is null for a run of an asker.
// `attempt`: 0 for the newest.
Status add_command(Session& session, Json& object, RunId run, int attempt);

// Those commands with a title, each as a line for a shell; "" without any.
std::string command_text(const Json& object, const Screen& screen);

}  // namespace hone::cli
