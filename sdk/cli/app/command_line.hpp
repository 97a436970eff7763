// From argv to a command and its options.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

struct Call {
  const Command* command = nullptr;
  std::vector<std::string> arguments;  // all but the command's name, common options included
};

// The command is the first word that is no common option (or its value): `hone --format json ls` is
// `hone ls --format json`. No command at all gives a null command.
Result<Call> split(std::vector<std::string> words);

struct Ready {
  Options options;
  Work work;
};
struct HelpAsked {
  std::string text;
};

// Reads the flags of the command. Refuses with a sentence that names the flag.
Result<std::variant<Ready, HelpAsked>> parse(const Call& call);

}  // namespace hone::cli
