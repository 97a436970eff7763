// From the words of a command line to a command and its arguments.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/session/command.hpp"

namespace hone::cli {

struct Call {
  const Command* command = nullptr;
  std::vector<std::string> arguments;  // all but the command's name, common options included
};

// The command is the first word that is neither a common option nor its value:
// `hone --format json ls` is `hone ls --format json`. Without a command it is null.
Result<Call> split(std::vector<std::string> words);

}  // namespace hone::cli
