#pragma once

#include <span>

#include "sdk/cli/session/command.hpp"

namespace hone::cli {

std::span<const Command> command_table();

// Returns nullptr if no command has that name, or had it once.
const Command* find_command(std::string_view name);

// Whether the row is a form of another command, as "ls trials" is one of "ls".
bool is_form(const Command& command);

// The command that the row is, or is a form of: "ls" of "ls trials".
std::string_view command_word(const Command& command);

// The word that chooses the form: "trials" of "ls trials"; empty if the row is no form.
std::string_view form_word(const Command& command);

}  // namespace hone::cli
