// From the words of a command line to a command and its arguments.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/session/command.hpp"

namespace hone::cli {

struct Call {
  const Command* command = nullptr;
  std::vector<std::string> arguments;  // without the command's name and the word of its form
};

// The command is the first word that is neither a common option nor its value:
// `hone --format json ls` is `hone ls --format json`. Without a command it is null. A form is
// chosen by an option of that name (`curve tr_1 --schedule`), or by the next such word.
Result<Call> split(std::vector<std::string> words);

}  // namespace hone::cli
