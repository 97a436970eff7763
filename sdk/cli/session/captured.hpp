// Runs one command inside another, for its output.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

class Flags;

// Returns what `hone NAME WORDS --format FORMAT` prints on stdout; its messages are dropped.
// `declare` is that of the command.
Result<std::string> captured(const Session& session, CommandAction (*declare)(Flags& flags),
                             const std::vector<std::string>& words, Format format);

}  // namespace hone::cli
