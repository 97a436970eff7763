// One command line: parses the flags of a command and runs it.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

struct ParsedCommand {
  CommonOptions options;
  CommandAction action;
};
struct HelpRequested {
  std::string text;
};

// Rejects a wrong flag with a sentence that names it. `forms`: further lines of usage for the
// help.
Result<std::variant<ParsedCommand, HelpRequested>> parse_command(
    const Command& command, const std::vector<std::string>& arguments,
    const std::string& forms = {});

// Whether every command takes this option ("--server", "-q"), and whether a value follows it.
enum class CommonOption { none, flag, with_value };
CommonOption common_option(std::string_view name);

// "Examples" and the command's examples, indented; no newline at the end.
std::string examples_text(const Command& command);

// "submit FILE".
std::string usage_of(const Command& command);

// Parses and runs the command; prints its help or its error. Returns the exit status.
int run_command(std::string_view program, const Command& command,
                const std::vector<std::string>& arguments, const std::string& forms = {});

// Prints "PROGRAM: the error" on stderr. Returns the exit status for it.
int report_error(std::string_view program, const Error& error);

}  // namespace hone::cli
